/* Axe layouts: groups, slices, tiles, backward, reduction. */
#include <inttypes.h>
#include <string.h>

#include "layout/group.h"
#include "layout/print.h"
#include "layout/reduce.h"
#include "layout/slice.h"
#include "layout/tile_of.h"
#include "layout/where.h"
#include "layouts/judged_parts.h"

/* ---- groups ---- */

tg_status judged_axe_admits(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    tg_shape shape;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(judge_read_shape(in[1], &shape, diags));
    TG_TRY(tg_axe_admit(&axe, &shape, diags));
    tg_text_put(out, "true");
    return TG_OK;
}

static void print_block(const tg_iters *d, int first, int end, tg_text *out)
{
    tg_axe block;
    tg_axe_begin(&block);
    for (int i = first; i < end; i++)
        tg_iters_put(&block.d, d->list[i].extent, d->list[i].stride, d->list[i].axis);
    tg_axe_print(&block, out);
}

tg_status judged_axe_group(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    tg_shape shape;
    tg_groups groups;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(judge_read_shape(in[1], &shape, diags));
    TG_TRY(tg_axe_group(&axe, &shape, &groups, diags));
    for (int i = 0; i < groups.rank; i++) {
        if (i) tg_text_put(out, " | ");
        print_block(&groups.d, groups.first[i], groups.first[i + 1], out);
    }
    return TG_OK;
}

/* The refined D, then where the blocks of each shape begin. */
tg_status judged_axe_group_many(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    tg_shape shapes[TG_GROUP_MAX_SHAPES];
    tg_refinement refined;
    TG_TRY(judge_read(in[0], &axe, diags));
    for (int s = 1; s < count; s++) TG_TRY(judge_read_shape(in[s], &shapes[s - 1], diags));
    TG_TRY(tg_axe_group_many(&axe, shapes, count - 1, &refined, diags));
    print_block(&refined.d, 0, refined.d.count, out);
    for (int s = 0; s < refined.count; s++) {
        tg_text_put(out, " |");
        for (int i = 0; i <= shapes[s].rank; i++) tg_text_add(out, " %d", refined.first[s][i]);
    }
    return TG_OK;
}

tg_status judged_axe_slice(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe, sliced;
    tg_shape shape, first, extent;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(judge_read_shape(in[1], &shape, diags));
    TG_TRY(judge_read_shape(in[2], &first, diags));
    TG_TRY(judge_read_shape(in[3], &extent, diags));
    const tg_status status = tg_axe_slice(&axe, &shape, &first, &extent, &sliced, diags);
    return judge_print_canonical(&sliced, status, out);
}

/* ---- tiles ---- */

typedef struct pair {
    tg_axe a, b;
    tg_shape a_shape, b_shape;
} pair;

static tg_status read_pair(const char *const *in, pair *out, tg_diags *diags)
{
    TG_TRY(judge_read(in[0], &out->a, diags));
    TG_TRY(judge_read_shape(in[1], &out->a_shape, diags));
    TG_TRY(judge_read(in[2], &out->b, diags));
    return judge_read_shape(in[3], &out->b_shape, diags);
}

typedef tg_status joins(const tg_shaped *a, const tg_shaped *b, tg_axe *out, tg_diags *diags);

static tg_status join(const char *const *in, joins *how, tg_text *out, tg_diags *diags)
{
    pair p;
    tg_axe result;
    TG_TRY(read_pair(in, &p, diags));
    const tg_shaped a = {&p.a, &p.a_shape}, b = {&p.b, &p.b_shape};
    return judge_print_canonical(&result, how(&a, &b, &result, diags), out);
}

tg_status judged_axe_tile(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return join(in, tg_axe_tile, out, diags);
}

tg_status judged_axe_sum(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return join(in, tg_axe_sum, out, diags);
}

tg_status judged_axe_tile_to(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe, result;
    tg_shape shape, to;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(judge_read_shape(in[1], &shape, diags));
    TG_TRY(judge_read_shape(in[2], &to, diags));
    const tg_shaped inner = {&axe, &shape};
    return judge_print_canonical(&result, tg_axe_tile_to(&inner, &to, TG_AXIS_m, &result, diags),
                                 out);
}

typedef tg_status seeks(const tg_shaped *whole, const tg_shaped *known, tg_joined how, tg_axe *out,
                        tg_diags *diags);

static tg_status seek(const char *const *in, int count, seeks *what, tg_text *out, tg_diags *diags)
{
    pair p;
    tg_axe result;
    const bool sum = count > 4 && strcmp(in[4], "sum") == 0;
    TG_TRY(read_pair(in, &p, diags));
    const tg_shaped whole = {&p.a, &p.a_shape}, known = {&p.b, &p.b_shape};
    const tg_status status =
        what(&whole, &known, sum ? TG_JOINED_SUM : TG_JOINED_TILE, &result, diags);
    return judge_print_canonical(&result, status, out);
}

tg_status judged_axe_outer_of(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    return seek(in, count, tg_axe_outer_of, out, diags);
}

tg_status judged_axe_inner_of(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    return seek(in, count, tg_axe_inner_of, out, diags);
}

/* ---- backward ---- */

tg_status judged_axe_where(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    tg_coordinate at;
    tg_element_list found;
    tg_shape shape = {.rank = 0}, coordinate;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(judge_read_place(in[1], &at, diags));
    if (count > 2) TG_TRY(judge_read_shape(in[2], &shape, diags));
    TG_TRY(tg_axe_where(&axe, &at, &found, diags));
    for (size_t i = 0; i < found.count; i++) {
        if (i) tg_text_put(out, " ");
        if (!shape.rank) {
            tg_text_add(out, "%" PRId64, found.list[i]);
            continue;
        }
        tg_shape_coordinate(&shape, found.list[i], &coordinate);
        tg_shape_print(&coordinate, out);
    }
    if (!found.count) tg_text_put(out, "none");
    tg_element_list_free(&found);
    return TG_OK;
}

tg_status judged_axe_injective(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    tg_shared_place shared;
    bool injective;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(tg_axe_is_injective(&axe, &injective, &shared, diags));
    if (injective) {
        tg_text_put(out, "true");
        return TG_OK;
    }
    tg_text_add(out, "%" PRId64 " and %" PRId64 " at ", shared.element[0], shared.element[1]);
    judge_print_place(&shared.at, out);
    return TG_OK;
}

/* ---- reduction ---- */

typedef tg_status changes(const tg_axe *axe, const tg_shape *shape, tg_dim_set dims, tg_axe *out,
                          tg_diags *diags);

static tg_status change(const char *const *in, changes *how, tg_text *out, tg_diags *diags)
{
    tg_axe axe, result;
    tg_shape shape;
    tg_dim_set dims;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(judge_read_shape(in[1], &shape, diags));
    TG_TRY(judge_read_dims(in[2], &dims, diags));
    return judge_print_canonical(&result, how(&axe, &shape, dims, &result, diags), out);
}

tg_status judged_axe_reduce(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return change(in, tg_axe_reduce, out, diags);
}

tg_status judged_axe_broadcast(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return change(in, tg_axe_broadcast, out, diags);
}
