/* Reduction and broadcast. */
#include <string.h>

#include "layout/equal.h"
#include "layout/mosaic/convert.h"
#include "layout/reduce.h"
#include "layouts/law.h"
#include "layouts/regular.h"
#include "layouts/tiled_model.h"

static model m, n;

/* The element whose indices in `dims` are those of `in_dims`, the others those of `others`. */
static int64_t mixed(const tg_shape *shape, tg_dim_set dims, int64_t others, int64_t in_dims)
{
    int64_t x = 0, below = 1;
    for (int i = shape->rank - 1; i >= 0; i--) {
        const int64_t from = dims >> i & 1 ? in_dims : others;
        x += from / below % shape->extent[i] * below;
        below *= shape->extent[i];
    }
    return x;
}

/* The index in the shape without `dims`. */
static int64_t reduced(const tg_shape *shape, tg_dim_set dims, int64_t x)
{
    int64_t y = 0, below = 1, step = 1;
    for (int i = shape->rank - 1; i >= 0; i--) {
        if (!(dims >> i & 1)) {
            y += x / below % shape->extent[i] * step;
            step *= shape->extent[i];
        }
        below *= shape->extent[i];
    }
    return y;
}

/* ---- the coordinates that are left on an axis of memory ---- */

static bool in_zero(const tg_shape *shape, tg_dim_set dims, int64_t x)
{
    return mixed(shape, dims, x, 0) == x;
}

/* The rank of a coordinate among those of elements whose indices in `dims` are 0. */
static int64_t rank_of(const tg_shape *shape, tg_dim_set dims, int axis, int64_t v)
{
    static int64_t seen[MODEL_MOST];
    int count = 0;
    int64_t rank = 0;
    for (int64_t x = 0; x < m.size; x++)
        for (int i = m.start[x]; in_zero(shape, dims, x) && i < m.start[x + 1]; i++) {
            const int64_t at = m.list[i].at[axis];
            int k = 0;
            while (k < count && seen[k] != at) k++;
            if (k < count) continue;
            seen[count++] = at;
            rank += at < v;
        }
    return rank;
}

static int64_t least_on(int axis)
{
    int64_t least = m.list[0].at[axis];
    for (int i = 0; i < m.start[m.size]; i++)
        if (m.list[i].at[axis] < least) least = m.list[i].at[axis];
    return least;
}

/* Whether the coordinates of an element on an axis of memory depend on its indices in `dims`. */
static bool is_renumbered(const tg_shape *shape, tg_dim_set dims, int axis)
{
    if (tg_axes[axis].kind != TG_AXIS_MEMORY) return false;
    for (int64_t x = 0; x < m.size; x++)
        if (m.list[m.start[x]].at[axis] != m.list[m.start[mixed(shape, dims, x, 0)]].at[axis])
            return true;
    return false;
}

/* ---- reduce ---- */

/* What is left on the axes that are renumbered: the place of each copy of elements whose indices in `dims`
 * are 0, with its new coordinates there. */
static place left_at[MODEL_MOST];
static bool renumbered[TG_AXIS_COUNT];

static void find_left(const tg_shape *shape, tg_dim_set dims)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        renumbered[a] = is_renumbered(shape, dims, a);
        for (int64_t x = 0; renumbered[a] && x < m.size; x++)
            for (int i = m.start[x]; in_zero(shape, dims, x) && i < m.start[x + 1]; i++)
                left_at[i].at[a] = least_on(a) + rank_of(shape, dims, a, m.list[i].at[a]);
    }
}

/* The place of the result for a place p of an element, with memory from place `zero`. */
static place expected(const place *p, int zero)
{
    place q = *p;
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (renumbered[a]) q.at[a] = left_at[zero].at[a];
    return q;
}

/* Each place of each element must be one of the result, and nothing else. */
static bool is_reduced(const tg_shape *shape, tg_dim_set dims)
{
    static bool met[MODEL_MOST];
    memset(met, 0, sizeof met);
    find_left(shape, dims);
    for (int64_t x = 0; x < m.size; x++) {
        const int64_t zero = mixed(shape, dims, x, 0), y = reduced(shape, dims, x);
        for (int i = m.start[x]; i < m.start[x + 1]; i++)
            for (int k = m.start[zero]; k < m.start[zero + 1]; k++) {
                const place q = expected(&m.list[i], k);
                int at = n.start[y];
                while (at < n.start[y + 1] && !place_same(&n.list[at], &q)) at++;
                if (at == n.start[y + 1]) return false;
                met[at] = true;
            }
    }
    for (int i = 0; i < n.start[n.size]; i++)
        if (!met[i]) return false;
    return n.size == reduced(shape, dims, m.size - 1) + 1;
}

static bool is_swizzled_there(const tg_axe *axe, const tg_shape *shape, tg_dim_set dims)
{
    tg_axe plain;
    if (!axe->swizzle.bits) return false;
    tg_axe_copy(axe, &plain);
    plain.swizzle.bits = 0;
    model_of(&plain, &m);
    return is_renumbered(shape, dims, (int)axe->swizzle.axis);
}

outcome law_reduce(chance *c, tg_axe *shown)
{
    static place by[MODEL_MOST];
    tg_shape shape;
    tg_axe out;
    wish w = any_layout;
    w.most_size = 24;
    w.most_copies = 2;
    w.injective = !one_in(c, 4);
    random_layout(c, &w, shown);
    shape_for(c, &shown->d, tg_iters_size(&shown->d), 3, &shape);
    tg_dim_set dims = (tg_dim_set)pick(c, 0, (1 << shape.rank) - 1);
    const bool beyond = one_in(c, 32);
    if (beyond) dims |= 1U << shape.rank;
    const tg_status status = tg_axe_reduce(shown, &shape, dims, &out, NULL);
    if (beyond) return status == TG_ERR_INVALID ? REFUSED : BROKEN;
    if (status == TG_OK) {
        if (tg_axe_check(&out, NULL) != TG_OK) return BROKEN;
        model_of(&out, &n);
        model_of(shown, &m);
        return is_reduced(&shape, dims) ? KEPT : BROKEN;
    }
    if (status != TG_ERR_UNSUPPORTED) return BROKEN;
    displacements_of(shown, by);
    if (!is_regular_in(by, tg_iters_size(&shown->d), shape.extent, shape.rank)) return REFUSED;
    return !w.injective || is_swizzled_there(shown, &shape, dims) ? REFUSED : BROKEN;
}

/* ---- broadcast ---- */

outcome law_broadcast(chance *c, tg_axe *shown)
{
    static place by[MODEL_MOST];
    tg_shape operand, shape;
    tg_axe out;
    wish w = any_layout;
    w.most_size = 32;
    random_layout(c, &w, shown);
    shape_for(c, &shown->d, tg_iters_size(&shown->d), 3, &operand);
    shape = operand;
    tg_dim_set dims = 0;
    for (int i = 0; i < shape.rank; i++)
        if (operand.extent[i] == 1 && one_in(c, 2)) {
            dims |= 1U << i;
            shape.extent[i] = pick(c, 1, dims & (dims - 1) ? 1 : 5);
        }
    const tg_status status = tg_axe_broadcast(shown, &shape, dims, &out, NULL);
    model_of(shown, &m);
    if (status != TG_OK) {
        displacements_of(shown, by);
        return is_regular_in(by, m.size, operand.extent, operand.rank) ? BROKEN : REFUSED;
    }
    if (tg_axe_check(&out, NULL) != TG_OK) return BROKEN;
    model_of(&out, &n);
    for (int64_t x = 0; x < n.size; x++) {
        const int64_t y = reduced(&shape, dims, x);
        const int count = m.start[y + 1] - m.start[y];
        if (n.start[x + 1] - n.start[x] != count) return BROKEN;
        if (memcmp(&n.list[n.start[x]], &m.list[m.start[y]], (size_t)count * sizeof(place)) != 0)
            return BROKEN;
    }
    return n.size % m.size == 0 ? KEPT : BROKEN;
}

/* ---- as Mosaic GPU reduces ---- */

outcome law_reduce_tiled(chance *c, tg_axe *shown)
{
    tg_fragment f = {.kind = TG_FRAGMENT_TILED}, less;
    tg_shape shape, left = {.rank = 0};
    tg_axe ours, theirs;
    int axes[TG_SHAPE_MAX_RANK], count = 0;
    bool same;
    random_tiled(c, &f.tiled, &shape);
    if (tg_tiled_to_axe(&f.tiled, &shape, shown, NULL) != TG_OK) return BROKEN;
    const tg_dim_set dims = (tg_dim_set)pick(c, 0, (1 << shape.rank) - 1);
    for (int i = 0; i < shape.rank; i++)
        if (dims >> i & 1)
            axes[count++] = i;
        else
            left.extent[left.rank++] = shape.extent[i];
    if (tg_fragment_reduce(&f, shape.rank, axes, count, false, &less, NULL) != TG_OK ||
        tg_fragment_to_axe(&less, &left, 0, &theirs, NULL) != TG_OK)
        return REFUSED;
    if (tg_axe_reduce(shown, &shape, dims, &ours, NULL) != TG_OK) return BROKEN;
    if (tg_axe_equal(&ours, &theirs, &same, NULL) != TG_OK) return BROKEN;
    return same ? KEPT : BROKEN;
}
