/* Whatever the bytes are, reading them as a layout, as text and as JSON, ends in a layout or in diagnoses; what was
 * read is printed as what reads as the same.  Of "LAYOUT;LAYOUT;SHAPE;SHAPE", where all but the first may be missing,
 * every operation ends in a layout that keeps the rules, or in a diagnosis. */
#include <stdlib.h>
#include <string.h>

#include "layout/canonical.h"
#include "layout/compose.h"
#include "layout/cute/axe_algebra.h"
#include "layout/equal.h"
#include "layout/group.h"
#include "layout/permute.h"
#include "layout/print.h"
#include "layout/read.h"
#include "layout/recast.h"
#include "layout/reduce.h"
#include "layout/slice.h"
#include "layout/threads_axes.h"
#include "layout/tile_of.h"
#include "layout/where.h"
#include "loaders/layout_json.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

typedef tg_status reads(const char *text, size_t length, tg_axe *out, tg_diags *diags);
typedef void prints(const tg_axe *axe, tg_text *out);

static void read_and_print(const char *text, size_t size, reads *read, prints *print)
{
    tg_axe axe, again;
    tg_diags diags = {0};
    if (read(text, size, &axe, &diags) == TG_OK) {
        tg_text out = {0};
        bool equal = false;
        print(&axe, &out);
        char *printed = tg_text_finish(&out);
        if (!printed || read(printed, strlen(printed), &again, NULL) != TG_OK) abort();
        if (tg_axe_equal(&axe, &again, &equal, NULL) == TG_OK && !equal) abort();
        tg_axe_canonize(&again);
        if (tg_axe_check(&again, NULL) != TG_OK) abort();
        free(printed);
    } else if (!diags.count) {
        abort();
    }
    tg_diags_free(&diags);
}

/* ---- operations ---- */

enum { MOST_ELEMENTS = 1 << 12 }; /* of what goes through all elements */

/* The parts of an input: a and b may be one layout, a shape that of all elements. */
typedef struct parts {
    tg_axe a, b;
    tg_shape shape, other;
} parts;

static const char *next_part(const char **at, const char *end, size_t *length)
{
    const char *part = *at;
    const char *cut = memchr(part, ';', (size_t)(end - part));
    *length = (size_t)((cut ? cut : end) - part);
    *at = cut ? cut + 1 : end;
    return part;
}

static bool read_parts(const char *text, size_t size, parts *out)
{
    const char *at = text, *end = text + size;
    size_t length;
    const char *part = next_part(&at, end, &length);
    if (tg_axe_read(part, length, &out->a, NULL) != TG_OK) return false;
    part = next_part(&at, end, &length);
    if (tg_axe_read(part, length, &out->b, NULL) != TG_OK) tg_axe_copy(&out->a, &out->b);
    out->shape = (tg_shape){1, {tg_iters_size(&out->a.d)}};
    part = next_part(&at, end, &length);
    if (length && tg_shape_read(part, length, &out->shape, NULL) != TG_OK) return false;
    out->other = out->shape;
    part = next_part(&at, end, &length);
    if (length && tg_shape_read(part, length, &out->other, NULL) != TG_OK) return false;
    return true;
}

static void settle(tg_status status, const tg_axe *out, tg_diags *diags)
{
    if (status == TG_OK && tg_axe_check(out, NULL) != TG_OK) abort();
    if (status != TG_OK && !diags->count) abort();
    tg_diags_free(diags);
    *diags = (tg_diags){0};
}

static void try_shaped(const parts *p)
{
    tg_axe out;
    tg_groups groups;
    tg_refinement refined;
    tg_diags d = {0};
    const tg_shape shapes[] = {p->shape, p->other};
    const tg_shaped a = {&p->a, &p->shape}, b = {&p->b, &p->other};
    settle(tg_axe_group(&p->a, &p->shape, &groups, &d), &p->a, &d);
    settle(tg_axe_group_many(&p->a, shapes, 2, &refined, &d), &p->a, &d);
    settle(tg_axe_slice(&p->a, &p->shape, &p->other, &p->other, &out, &d), &out, &d);
    settle(tg_axe_permute(&p->a, &p->shape, &p->other, &out, &d), &out, &d);
    for (tg_dim_set dims = 0; dims < 8; dims++) {
        settle(tg_axe_reduce(&p->a, &p->shape, dims, &out, &d), &out, &d);
        settle(tg_axe_broadcast(&p->a, &p->shape, dims, &out, &d), &out, &d);
    }
    settle(tg_axe_tile(&a, &b, &out, &d), &out, &d);
    settle(tg_axe_sum(&a, &b, &out, &d), &out, &d);
    settle(tg_axe_tile_to(&a, &p->other, TG_AXIS_m, &out, &d), &out, &d);
    for (int how = 0; how < 2; how++) {
        settle(tg_axe_outer_of(&a, &b, (tg_joined)how, &out, &d), &out, &d);
        settle(tg_axe_inner_of(&a, &b, (tg_joined)how, &out, &d), &out, &d);
    }
}

static void try_algebra(const parts *p)
{
    static const tg_axis_set threads[] = {
        TG_AXIS_BIT(TG_AXIS_tx), TG_AXIS_BIT(TG_AXIS_warp) | TG_AXIS_BIT(TG_AXIS_lane),
        TG_AXIS_BIT(TG_AXIS_wgid) | TG_AXIS_BIT(TG_AXIS_tid_in_wg)};
    tg_axe out;
    tg_axis axis = TG_AXIS_m;
    tg_diags d = {0};
    const int64_t number = p->other.rank ? p->other.extent[0] : 2;
    settle(tg_axe_compose(&p->a, &p->b, &out, &d), &out, &d);
    settle(tg_axe_divide(&p->a, &p->b, &out, &d), &out, &d);
    settle(tg_axe_product(&p->a, &p->b, &out, &d), &out, &d);
    settle(tg_axe_complement(&p->a, TG_AXIS_m, number, &out, &d), &out, &d);
    if (!p->a.swizzle.bits || tg_iters_size(&p->a.d) < MOST_ELEMENTS) { /* those are all tried */
        settle(tg_axe_right_inverse(&p->a, &out, &d), &out, &d);
        settle(tg_axe_left_inverse(&p->a, &out, &d), &out, &d);
    }
    settle(tg_axe_packed_axis(&p->a, &axis, &d), &p->a, &d);
    settle(tg_axe_unpack(&p->a, axis, number, &out, &d), &out, &d);
    settle(tg_axe_pack(&p->a, axis, number, &out, &d), &out, &d);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        settle(tg_axe_move_threads(&p->a, threads[i], &out, &d), &out, &d);
    tg_axe_storage(&p->a, &out);
    if (tg_axe_check(&out, NULL) != TG_OK) abort();
}

/* What is found backward is there forward: of layouts that are not too large for a try each. */
static void try_backward(const parts *p)
{
    tg_coordinate at;
    tg_element_list found;
    tg_shared_place shared;
    bool injective, is_there = false;
    tg_diags d = {0};
    if (tg_iters_size(&p->a.d) > MOST_ELEMENTS / tg_iters_size(&p->a.r)) return;
    const int64_t x = tg_iters_size(&p->a.d) - 1;
    tg_axe_map(&p->a, x, 0, &at);
    if (tg_axe_where(&p->a, &at, &found, &d) != TG_OK) abort();
    for (size_t i = 0; i < found.count; i++) is_there |= found.list[i] == x;
    if (!is_there) abort();
    if (tg_axe_is_injective(&p->a, &injective, &shared, &d) != TG_OK) abort();
    if (injective && found.count != 1) abort();
    tg_element_list_free(&found);
}

static void try_operations(const char *text, size_t size)
{
    parts p;
    if (!read_parts(text, size, &p)) return;
    try_shaped(&p);
    try_algebra(&p);
    try_backward(&p);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *text = malloc(size ? size : 1); /* exactly the bytes, so that reading beyond them shows */
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    read_and_print(text, size, tg_axe_read, tg_axe_print);
    read_and_print(text, size, tg_axe_read_json, tg_axe_print_json);
    try_operations(text, size);
    free(text);
    return 0;
}
