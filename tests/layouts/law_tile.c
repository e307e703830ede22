/* Tiles, sums, and which layouts are tiles. */
#include <string.h>

#include "layout/equal.h"
#include "layout/tile.h"
#include "layouts/law.h"
#include "layouts/regular.h"

static model a, b, t;

/* Extents 1, .. and an extra dimension of 1 now and then, so that ranks agree. */
static void same_rank(tg_shape *x, tg_shape *y)
{
    while (x->rank < y->rank) x->extent[x->rank++] = 1;
    while (y->rank < x->rank) y->extent[y->rank++] = 1;
}

/* By the definition on all pairs of places; the model of `whole` has them, and no others. */
static bool is_combined(const tg_shape *outer, const tg_shape *inner, const int64_t *scale)
{
    for (int64_t x = 0; x < t.size; x++) {
        int64_t p = 0, q = 0, below = 1, p_below = 1, q_below = 1;
        static bool met[MODEL_MOST];
        memset(met, 0, sizeof met);
        for (int i = outer->rank - 1; i >= 0; i--) {
            const int64_t extent = outer->extent[i] * inner->extent[i], at = x / below % extent;
            p += at / inner->extent[i] * p_below;
            q += at % inner->extent[i] * q_below;
            below *= extent;
            p_below *= outer->extent[i];
            q_below *= inner->extent[i];
        }
        for (int i = a.start[p]; i < a.start[p + 1]; i++)
            for (int k = b.start[q]; k < b.start[q + 1]; k++) {
                place sum;
                for (int axis = 0; axis < TG_AXIS_COUNT; axis++)
                    sum.at[axis] = a.list[i].at[axis] * scale[axis] + b.list[k].at[axis];
                int at = t.start[x];
                while (at < t.start[x + 1] && !place_same(&t.list[at], &sum)) at++;
                if (at == t.start[x + 1]) return false;
                met[at - t.start[x]] = true;
            }
        for (int i = 0; i < t.start[x + 1] - t.start[x]; i++)
            if (!met[i]) return false;
    }
    return t.size == a.size * b.size;
}

/* 1 + the distance of the outermost coordinates of all places: of model b. */
static void span_of(int64_t *span)
{
    for (int axis = 0; axis < TG_AXIS_COUNT; axis++) {
        int64_t least = b.list[0].at[axis], most = least;
        for (int i = 0; i < b.start[b.size]; i++) {
            const int64_t v = b.list[i].at[axis];
            if (v < least) least = v;
            if (v > most) most = v;
        }
        span[axis] = most - least + 1;
    }
}

/* Without the swizzle, which is compared: it stays that of the inner one. */
static void model_plain(const tg_axe *axe, model *out)
{
    tg_axe plain;
    tg_axe_copy(axe, &plain);
    plain.swizzle.bits = 0;
    model_of(&plain, out);
}

static bool groups(const tg_axe *axe, const tg_shape *shape)
{
    static place by[MODEL_MOST];
    displacements_of(axe, by);
    return is_regular_in(by, tg_iters_size(&axe->d), shape->extent, shape->rank);
}

static void random_factor(chance *c, tg_axe *axe, tg_shape *shape)
{
    wish w = any_layout;
    w.most_iters = 3;
    w.most_size = 12;
    w.most_copies = 2;
    random_layout(c, &w, axe);
    while (tg_iters_size(&axe->r) > 4) axe->r.count--;
    shape_for(c, &axe->d, tg_iters_size(&axe->d), 3, shape);
}

outcome law_tile(chance *c, tg_axe *shown)
{
    tg_axe inner, out;
    tg_shape outer_shape, inner_shape;
    int64_t span[TG_AXIS_COUNT];
    const bool is_sum = one_in(c, 3), differ = one_in(c, 32);
    random_factor(c, shown, &outer_shape);
    random_factor(c, &inner, &inner_shape);
    if (!one_in(c, 8)) shown->swizzle.bits = 0;
    same_rank(&outer_shape, &inner_shape);
    if (differ) outer_shape.extent[outer_shape.rank++] = 1;
    const tg_shaped x = {shown, &outer_shape}, y = {&inner, &inner_shape};
    const tg_status status = (is_sum ? tg_axe_sum : tg_axe_tile)(&x, &y, &out, NULL);
    if (differ) return status == TG_ERR_INVALID ? REFUSED : BROKEN;
    const bool possible =
        !shown->swizzle.bits && groups(shown, &outer_shape) && groups(&inner, &inner_shape);
    if (possible != (status == TG_OK)) return BROKEN;
    if (!possible) return status == TG_ERR_UNSUPPORTED ? REFUSED : BROKEN;
    if (!tg_swizzle_same(&out.swizzle, &inner.swizzle)) return BROKEN;
    model_of(shown, &a);
    model_plain(&inner, &b);
    model_plain(&out, &t);
    span_of(span);
    for (int i = 0; is_sum && i < TG_AXIS_COUNT; i++) span[i] = 1;
    return is_combined(&outer_shape, &inner_shape, span) ? KEPT : BROKEN;
}

outcome law_tile_to(chance *c, tg_axe *shown)
{
    tg_axe grid, out, wanted;
    tg_shape inner, shape, outer = {.rank = 0};
    bool same;
    random_factor(c, shown, &inner);
    shape = inner;
    outer.rank = inner.rank;
    for (int i = 0; i < shape.rank; i++) shape.extent[i] *= outer.extent[i] = pick(c, 1, 3);
    const bool uneven = shape.rank && one_in(c, 16);
    if (uneven) shape.extent[0]++;
    const tg_shaped y = {shown, &inner};
    const tg_status status = tg_axe_tile_to(&y, &shape, TG_AXIS_m, &out, NULL);
    if (uneven && shape.extent[0] % inner.extent[0])
        return status == TG_ERR_INVALID ? REFUSED : BROKEN;
    if (uneven) outer.extent[0] = shape.extent[0] / inner.extent[0];
    tg_axe_begin(&grid);
    int64_t step = 1;
    for (int i = outer.rank - 1; i >= 0; i--) step *= outer.extent[i];
    for (int i = 0; i < outer.rank; i++)
        tg_iters_put(&grid.d, outer.extent[i], step /= outer.extent[i], TG_AXIS_m);
    const tg_shaped x = {&grid, &outer};
    if (tg_axe_tile(&x, &y, &wanted, NULL) != status) return BROKEN;
    if (status != TG_OK) return groups(shown, &inner) ? BROKEN : REFUSED;
    return tg_axe_equal(&out, &wanted, &same, NULL) == TG_OK && same ? KEPT : BROKEN;
}
