/* Groups and slices. */
#include <string.h>

#include "layout/group.h"
#include "layout/slice.h"
#include "layouts/law.h"
#include "layouts/regular.h"

static model m, n;
static place by[MODEL_MOST];

static int64_t size_of(const tg_shape *shape)
{
    int64_t size = 1;
    for (int i = 0; i < shape->rank; i++) size *= shape->extent[i];
    return size;
}

/* ---- group ---- */

static bool blocks_are(const tg_iters *d, const int *first, const tg_shape *shape)
{
    for (int i = 0; i < shape->rank; i++) {
        int64_t size = 1;
        for (int k = first[i]; k < first[i + 1]; k++) {
            if (d->list[k].extent < 2) return false;
            size *= d->list[k].extent;
        }
        if (size != shape->extent[i]) return false;
    }
    return first[0] == 0 && first[shape->rank] == d->count;
}

/* No two iters of a block are one: so there are none fewer. */
static bool are_fewest(const tg_iters *d, const int *first, int rank)
{
    for (int i = 0; i < rank; i++)
        for (int k = first[i]; k + 1 < first[i + 1]; k++) {
            const tg_iter a = d->list[k], b = d->list[k + 1];
            if (a.axis == b.axis && a.stride == b.extent * b.stride) return false;
        }
    return true;
}

static bool has_map(const tg_axe *axe, const tg_iters *d)
{
    tg_axe grouped;
    tg_axe_copy(axe, &grouped);
    tg_iters_copy(d, &grouped.d);
    model_of(&grouped, &n);
    return model_same(&m, &n);
}

outcome law_group(chance *c, tg_axe *shown)
{
    tg_shape shape;
    tg_groups groups;
    random_layout(c, &any_layout, shown);
    model_of(shown, &m);
    shape_for(c, &shown->d, m.size, 5, &shape);
    if (one_in(c, 16) && shape.rank) shape.extent[0] += pick(c, -1, 1);
    const tg_status status = tg_axe_group(shown, &shape, &groups, NULL);
    if (size_of(&shape) != m.size)
        return status == TG_ERR_INVALID && tg_axe_admit(shown, &shape, NULL) == TG_ERR_INVALID
                   ? REFUSED
                   : BROKEN;
    if (tg_axe_admit(shown, &shape, NULL) != TG_OK) return BROKEN;
    displacements_of(shown, by);
    if (is_regular_in(by, m.size, shape.extent, shape.rank) != (status == TG_OK)) return BROKEN;
    if (status != TG_OK) return status == TG_ERR_UNSUPPORTED ? REFUSED : BROKEN;
    return blocks_are(&groups.d, groups.first, &shape) &&
                   are_fewest(&groups.d, groups.first, shape.rank) && has_map(shown, &groups.d)
               ? KEPT
               : BROKEN;
}

/* The dimensions of both shapes: blocks that begin wherever one of either does.  False if there are none. */
static bool cut_by(const tg_shape *shapes, int count, tg_shape *out)
{
    int64_t below = size_of(&shapes[0]);
    out->rank = 0;
    while (below > 1) {
        int64_t next = 1;
        for (int s = 0; s < count; s++) {
            int64_t step = size_of(&shapes[s]);
            for (int i = 0; i < shapes[s].rank; i++) {
                step /= shapes[s].extent[i];
                if (step < below && step > next) next = step;
            }
        }
        if (below % next) return false;
        out->extent[out->rank++] = below / next;
        below = next;
    }
    return true;
}

outcome law_group_many(chance *c, tg_axe *shown)
{
    tg_shape shapes[3], cut;
    tg_refinement refined;
    random_layout(c, &any_layout, shown);
    model_of(shown, &m);
    const int count = (int)pick(c, 1, 3);
    for (int s = 0; s < count; s++) shape_for(c, &shown->d, m.size, 4, &shapes[s]);
    const tg_status status = tg_axe_group_many(shown, shapes, count, &refined, NULL);
    displacements_of(shown, by);
    const bool possible =
        cut_by(shapes, count, &cut) && is_regular_in(by, m.size, cut.extent, cut.rank);
    if (possible != (status == TG_OK)) return BROKEN;
    if (!possible) return status == TG_ERR_UNSUPPORTED ? REFUSED : BROKEN;
    for (int s = 0; s < count; s++)
        if (!blocks_are(&refined.d, refined.first[s], &shapes[s])) return BROKEN;
    return refined.count == count && has_map(shown, &refined.d) ? KEPT : BROKEN;
}

/* ---- slice ---- */

static void random_part(chance *c, const tg_shape *shape, tg_shape *first, tg_shape *extent)
{
    first->rank = extent->rank = shape->rank;
    for (int i = 0; i < shape->rank; i++) {
        const int64_t most = shape->extent[i];
        extent->extent[i] = one_in(c, 3) ? most : pick(c, 1, most);
        first->extent[i] = pick(c, 0, most - extent->extent[i]);
    }
}

/* The element of `shape` that is element u of the part. */
static int64_t element_of(const tg_shape *shape, const tg_shape *first, const tg_shape *extent,
                          int64_t u)
{
    int64_t x = 0, below = 1;
    for (int i = shape->rank - 1; i >= 0; i--) {
        x += (first->extent[i] + u % extent->extent[i]) * below;
        u /= extent->extent[i];
        below *= shape->extent[i];
    }
    return x;
}

static bool is_slice(const tg_shape *shape, const tg_shape *first, const tg_shape *extent)
{
    if (n.size != size_of(extent)) return false;
    for (int64_t u = 0; u < n.size; u++) {
        const int64_t x = element_of(shape, first, extent, u);
        const int count = m.start[x + 1] - m.start[x];
        if (n.start[u + 1] - n.start[u] != count) return false;
        if (memcmp(&n.list[n.start[u]], &m.list[m.start[x]], (size_t)count * sizeof(place)) != 0)
            return false;
    }
    return true;
}

/* Whether the part of the array has a layout, where the shape groups the layout. */
static bool has_slice(const tg_shape *shape, const tg_shape *first, const tg_shape *extent)
{
    static place part[MODEL_MOST];
    const int64_t size = size_of(extent);
    if (!is_regular_in(by, m.size, shape->extent, shape->rank)) return false;
    for (int64_t u = 0; u < size; u++) {
        const place *at = &by[element_of(shape, first, extent, u)];
        for (int a = 0; a < TG_AXIS_COUNT; a++)
            part[u].at[a] = at->at[a] - by[element_of(shape, first, extent, 0)].at[a];
    }
    return is_regular(part, size);
}

outcome law_slice(chance *c, tg_axe *shown)
{
    tg_shape shape, first, extent;
    tg_axe sliced;
    random_layout(c, &any_layout, shown);
    model_of(shown, &m);
    shape_for(c, &shown->d, m.size, 3, &shape);
    random_part(c, &shape, &first, &extent);
    const bool outside = shape.rank && one_in(c, 32);
    if (outside) first.extent[0] += shape.extent[0];
    const tg_status status = tg_axe_slice(shown, &shape, &first, &extent, &sliced, NULL);
    if (outside) return status == TG_ERR_INVALID ? REFUSED : BROKEN;
    if (status == TG_OK) {
        if (tg_axe_check(&sliced, NULL) != TG_OK) return BROKEN;
        model_of(&sliced, &n);
        return is_slice(&shape, &first, &extent) ? KEPT : BROKEN;
    }
    displacements_of(shown, by);
    return status == TG_ERR_UNSUPPORTED && !has_slice(&shape, &first, &extent) ? REFUSED : BROKEN;
}
