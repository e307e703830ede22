/* The post-conditions that CUTLASS's tests check, where the result itself is for each to choose. */
#include <stdlib.h>
#include <string.h>

#include "layout/cute/coalesce.h"
#include "layout/cute/complement.h"
#include "layout/cute/compose.h"
#include "layout/cute/convert.h"
#include "layout/cute/divide.h"
#include "layout/cute/filter.h"
#include "layout/cute/inverse.h"
#include "layout/cute/product.h"
#include "layout/cute/text.h"
#include "layout/print.h"
#include "layouts/judge.h"

static int64_t value(const tg_cute *a, int64_t i)
{
    int64_t index = INT64_MIN;
    tg_cute_map_beyond(a, i, &index);
    return index;
}

static tg_status keeps_coalesce(const tg_cute *a, const tg_cute *b, bool *kept, tg_diags *diags)
{
    tg_cute r;
    (void)b, (void)diags;
    tg_cute_coalesce(a, &r);
    *kept = tg_cute_size(&r) == tg_cute_size(a);
    for (int64_t i = 0; i < tg_cute_size(a); i++) *kept &= value(&r, i) == value(a, i);
    return TG_OK;
}

static tg_status keeps_compose(const tg_cute *a, const tg_cute *b, bool *kept, tg_diags *diags)
{
    tg_cute r;
    TG_TRY(tg_cute_compose(a, b, &r, diags));
    *kept = tg_tuple_compatible(&b->shape, 0, &r.shape, 0);
    for (int64_t i = 0; i < tg_cute_size(b); i++) *kept &= value(&r, i) == value(a, value(b, i));
    return TG_OK;
}

/* `b` is a shape of the target's size.  All that test_complement of complement.cpp expects. */
static tg_status keeps_complement(const tg_cute *a, const tg_cute *b, bool *kept, tg_diags *diags)
{
    tg_cute r, both, filtered, again;
    const int64_t target = b ? tg_cute_size(b) : tg_cute_cosize(a), cosize = tg_cute_cosize(a);
    TG_TRY(tg_cute_complement(a, target, &r, diags));
    const int64_t size = tg_cute_size(&r), most = tg_cute_cosize(&r);
    tg_cute_begin(&both);
    const int tuple = tg_cute_open(&both);
    tg_cute_put_node(&both, a, 0);
    tg_cute_put_node(&both, &r, 0);
    tg_cute_close(&both, tuple);
    tg_cute_filter(a, &filtered);
    const int64_t all = tg_cute_cosize(&both), moving = tg_cute_size(&filtered);
    *kept = all >= target && most <= (target + cosize - 1) / cosize * cosize;
    for (int64_t i = 1; i < size; i++) {
        *kept &= value(&r, i - 1) < value(&r, i);
        for (int64_t k = 0; k < tg_cute_size(a); k++) *kept &= value(&r, i) != value(a, k);
    }
    *kept &=
        size <= most && size >= target / moving && all <= most + cosize && most >= target / moving;
    TG_TRY(tg_cute_complement(&both, all, &again, diags));
    *kept &= tg_cute_size(&again) == 1;
    TG_TRY(tg_cute_complement(&r, cosize, &again, diags));
    TG_TRY(tg_cute_complement(&again, target, &again, diags));
    *kept &= tg_tuple_same(&again.shape, &r.shape) && tg_tuple_same(&again.stride, &r.stride);
    return TG_OK;
}

static tg_status keeps_right(const tg_cute *a, const tg_cute *b, bool *kept, tg_diags *diags)
{
    tg_cute r;
    (void)b;
    TG_TRY(tg_cute_right_inverse(a, &r, diags));
    *kept = true;
    for (int64_t i = 0; i < tg_cute_size(&r); i++) *kept &= value(a, value(&r, i)) == i;
    return TG_OK;
}

static tg_status keeps_left(const tg_cute *a, const tg_cute *b, bool *kept, tg_diags *diags)
{
    tg_cute r;
    (void)b;
    TG_TRY(tg_cute_left_inverse(a, &r, diags));
    *kept = true;
    for (int64_t i = 0; i < tg_cute_size(a); i++)
        *kept &= value(a, value(&r, value(a, i))) == value(a, i);
    return TG_OK;
}

/* As pycute has it, for injective layouts. */
static tg_status keeps_left_exact(const tg_cute *a, const tg_cute *b, bool *kept, tg_diags *diags)
{
    tg_cute r;
    (void)b;
    TG_TRY(tg_cute_left_inverse(a, &r, diags));
    *kept = true;
    for (int64_t i = 0; i < tg_cute_size(a); i++) *kept &= value(&r, value(a, i)) == i;
    return TG_OK;
}

static tg_status keeps_nullspace(const tg_cute *a, const tg_cute *b, bool *kept, tg_diags *diags)
{
    tg_cute r, filtered;
    (void)b, (void)diags;
    tg_cute_nullspace(a, &r);
    tg_cute_filter(a, &filtered);
    *kept = tg_cute_size(&r) == tg_cute_size(a) / tg_cute_size(&filtered);
    for (int64_t i = 0; i < tg_cute_size(&r); i++) *kept &= value(a, value(&r, i)) == 0;
    return TG_OK;
}

static tg_status keeps_divide(const tg_cute *a, const tg_cute *b, bool *kept, tg_diags *diags)
{
    tg_cute r;
    tg_tiler tiler;
    tg_tiler_of(b, &tiler);
    TG_TRY(tg_cute_divide(a, &tiler, &r, diags));
    *kept = tg_cute_rank(&r) == 2 &&
            tg_tuple_compatible(&b->shape, 0, &r.shape, tg_tuple_element(&r.shape, 0, 0));
    return TG_OK;
}

static tg_status keeps_product(const tg_cute *a, const tg_cute *b, bool *kept, tg_diags *diags)
{
    tg_cute r, block;
    tg_tiler tiler;
    tg_tiler_of(b, &tiler);
    TG_TRY(tg_cute_product(a, &tiler, &r, diags));
    tg_cute_take(&r, tg_tuple_element(&r.shape, 0, 0), &block);
    *kept = tg_cute_rank(&r) == 2 && tg_tuple_same(&block.shape, &a->shape) &&
            tg_tuple_same(&block.stride, &a->stride) &&
            tg_tuple_compatible(&b->shape, 0, &r.shape, tg_tuple_element(&r.shape, 0, 1));
    return TG_OK;
}

static const struct {
    const char *name;
    bool needs_b;
    tg_status (*keeps)(const tg_cute *a, const tg_cute *b, bool *kept, tg_diags *diags);
} conditions[] = {
    {"coalesce", false, keeps_coalesce},     {"compose", true, keeps_compose},
    {"complement", false, keeps_complement}, {"right_inverse", false, keeps_right},
    {"left_inverse", false, keeps_left},     {"exact_left_inverse", false, keeps_left_exact},
    {"nullspace", false, keeps_nullspace},   {"divide", true, keeps_divide},
    {"product", true, keeps_product},
};

tg_status judged_cute_keeps(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_cute a, b;
    bool kept = false;
    TG_TRY(tg_cute_read(in[1], strlen(in[1]), &a, diags));
    if (count > 2) TG_TRY(tg_cute_read(in[2], strlen(in[2]), &b, diags));
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        if (strcmp(conditions[i].name, in[0]) != 0 || (conditions[i].needs_b && count < 3))
            continue;
        TG_TRY(conditions[i].keeps(&a, count > 2 ? &b : NULL, &kept, diags));
        tg_text_put(out, kept ? "true" : "false");
        return TG_OK;
    }
    return tg_fail(diags, TG_ERR_INVALID, NULL, "there is no operation \"%s\"", in[0]);
}

/* ---- conversions ---- */

static tg_status read_shape(const char *text, tg_shape *out, tg_diags *diags)
{
    return tg_shape_read(text, strlen(text), out, diags);
}

static tg_status read_axis(const char *text, size_t length, tg_axis *out, tg_diags *diags)
{
    *out = tg_axis_find(text, length);
    if (*out != TG_AXIS_NONE) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL, "there is no axis \"%.*s\"", (int)length, text);
}

tg_status judged_cute_from_axe(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    tg_shape shape;
    tg_cute cute;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(tg_cute_from_axe(&axe, &shape, &cute, diags));
    tg_cute_print(&cute, out);
    return TG_OK;
}

tg_status judged_cute_to_axe(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_cute cute;
    tg_shape shape;
    tg_axis axis;
    tg_axe axe;
    (void)count;
    TG_TRY(tg_cute_read(in[0], strlen(in[0]), &cute, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(read_axis(in[2], strlen(in[2]), &axis, diags));
    TG_TRY(tg_cute_to_axe(&cute, &shape, axis, &axe, diags));
    tg_axe_print(&axe, out);
    return TG_OK;
}

/* The layout, then what T and V are: "((4,8),(2,2)):((32,1),(16,8)) lane reg". */
tg_status judged_cute_from_axe_tv(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    tg_shape shape;
    tg_cute cute;
    tg_cute_axes axes;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    TG_TRY(tg_cute_from_axe_tv(&axe, &shape, &cute, &axes, diags));
    tg_cute_print(&cute, out);
    for (int i = 0; i < axes.count; i++) tg_text_add(out, " %s", tg_axes[axes.thread[i]].name);
    tg_text_add(out, " %s", tg_axes[axes.value].name);
    return TG_OK;
}

tg_status judged_cute_to_axe_tv(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_cute cute;
    tg_shape shape;
    tg_axe axe;
    tg_cute_axes axes = {.count = 0};
    (void)count;
    TG_TRY(tg_cute_read(in[0], strlen(in[0]), &cute, diags));
    TG_TRY(read_shape(in[1], &shape, diags));
    for (const char *at = in[2]; *at && axes.count < TG_AXIS_COUNT;) {
        const size_t length = strcspn(at, " ");
        TG_TRY(read_axis(at, length, &axes.thread[axes.count++], diags));
        at += length + (at[length] == ' ');
    }
    TG_TRY(read_axis(in[3], strlen(in[3]), &axes.value, diags));
    TG_TRY(tg_cute_to_axe_tv(&cute, &shape, &axes, &axe, diags));
    tg_axe_print(&axe, out);
    return TG_OK;
}
