#include "layout/slice.h"

#include <string.h>

#include "layout/group.h"
#include "layout/map.h"
#include "layout/multiples.h"

/* How D moves: from x - 1 to x by `by[j]`, where j is the last with x a multiple of of[j].  Of two layouts of
 * a range, one is that of the other if they move alike. */
typedef struct moves {
    int count;
    int64_t of[TG_AXE_MAX_ITERS + 1];
    tg_coordinate by[TG_AXE_MAX_ITERS + 1];
} moves;

static void add_to(tg_coordinate *sum, const tg_iter *it, int64_t times)
{
    if (it->stride) sum->at[it->axis] += times * it->stride;
}

/* Of iters with extents of 2 or more, of which the last is the fastest. */
static void moves_of(const tg_iters *d, moves *out)
{
    tg_coordinate reset = {{0}}; /* what the digits that become 0 take back */
    int64_t of = 1;
    out->count = 0;
    for (int i = d->count - 1; i >= 0; i--) {
        const tg_iter it = d->list[i];
        out->of[out->count] = of;
        out->by[out->count] = reset;
        add_to(&out->by[out->count++], &it, 1);
        add_to(&reset, &it, 1 - it.extent);
        of *= it.extent;
    }
}

static tg_multiples level(const moves *m, int j)
{
    return (tg_multiples){m->of[j], j + 1 < m->count ? m->of[j + 1] : 0};
}

static bool same(const tg_coordinate *a, const tg_coordinate *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static const tg_coordinate *move_to(const moves *m, int64_t x)
{
    int j = 0;
    while (j + 1 < m->count && x % m->of[j + 1] == 0) j++;
    return &m->by[j];
}

/* The first multiple of `of` to which d does not move as to `of` itself, from the shift on. */
static int64_t run_of(const moves *d, int64_t of, int64_t shift, int64_t end)
{
    const tg_coordinate *move = move_to(d, shift + of);
    int64_t first = end;
    for (int j = 0; j < d->count; j++) {
        if (same(&d->by[j], move)) continue;
        first = tg_multiples_meet((tg_multiples){of, 0}, level(d, j), shift, first);
    }
    return first;
}

/* The iter that takes a multiple of `of` to where it is, seen from the shift. */
static tg_status iter_to(const tg_iters *d, int64_t of, int64_t shift, int64_t extent, tg_iter *out,
                         tg_diags *diags)
{
    static const tg_axe origin;
    tg_axe only = origin;
    tg_coordinate from, to;
    tg_iters_copy(d, &only.d);
    tg_axe_unswizzled(&only, shift, &from);
    tg_axe_unswizzled(&only, shift + of, &to);
    *out = (tg_iter){extent, 0, TG_AXIS_NONE};
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        const int64_t stride = to.at[a] - from.at[a];
        if (!stride) continue;
        if (out->stride)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "the part from %lld on has no layout: its element %lld is further on "
                           "axes %s and %s, and an iter has one axis",
                           (long long)shift, (long long)of, tg_axes[out->axis].name,
                           tg_axes[a].name);
        *out = (tg_iter){extent, stride, (tg_axis)a};
    }
    return TG_OK;
}

static tg_status no_layout(int64_t first, int64_t extent, int64_t at, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "elements %lld to %lld of a dimension have no layout: the step to %lld is "
                   "another than regular iters take",
                   (long long)first, (long long)(first + extent - 1), (long long)(first + at));
}

/* Whether `part` moves as d does from the shift on, over `extent` elements. */
static tg_status check_moves(const moves *part, const moves *d, int64_t shift, int64_t extent,
                             tg_diags *diags)
{
    for (int k = 0; k < part->count; k++)
        for (int j = 0; j < d->count; j++) {
            if (same(&part->by[k], &d->by[j])) continue;
            const int64_t at = tg_multiples_meet(level(part, k), level(d, j), shift, extent);
            if (at < extent) return no_layout(shift, extent, at, diags);
        }
    return TG_OK;
}

/* The iters follow from the steps, as those of a canonical D do: each ends where a step is another. */
tg_status tg_iters_slice(const tg_iters *d, int64_t first, int64_t extent, tg_iters *out,
                         tg_diags *diags)
{
    moves whole, part;
    tg_iters reversed = {.count = 0}, found = {.count = 0};
    moves_of(d, &whole);
    for (int64_t of = 1; of < extent;) {
        const int64_t end = run_of(&whole, of, first, extent);
        if (extent % end != 0) return no_layout(first, extent, end, diags);
        TG_TRY(iter_to(d, of, first, end / of, &reversed.list[reversed.count++], diags));
        of = end;
    }
    for (int i = reversed.count - 1; i >= 0; i--) found.list[found.count++] = reversed.list[i];
    moves_of(&found, &part);
    TG_TRY(check_moves(&part, &whole, first, extent, diags));
    for (int i = 0; i < found.count; i++) out->list[out->count++] = found.list[i];
    return TG_OK;
}

static tg_status check_part(const tg_shape *shape, const tg_shape *first, const tg_shape *extent,
                            tg_diags *diags)
{
    if (first->rank != shape->rank || extent->rank != shape->rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a part with %d first elements and %d extents, of a shape of rank %d",
                       first->rank, extent->rank, shape->rank);
    for (int i = 0; i < shape->rank; i++)
        if (extent->extent[i] < 1 || first->extent[i] < 0 ||
            first->extent[i] > shape->extent[i] - extent->extent[i])
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "a part of %lld elements from %lld on is not in dimension %d, which has "
                           "%lld",
                           (long long)extent->extent[i], (long long)first->extent[i], i,
                           (long long)shape->extent[i]);
    return TG_OK;
}

/* Makes neighbours one where the part is contiguous over both: where it has all of the inner dimension, or
 * one element of the outer one. */
static void merge(tg_shape *shape, tg_shape *first, tg_shape *extent)
{
    int last = 0;
    for (int i = 1; i < shape->rank; i++) {
        const int64_t inner = shape->extent[i];
        if (extent->extent[i] != inner && extent->extent[last] != 1) {
            last++;
            shape->extent[last] = inner;
            first->extent[last] = first->extent[i];
            extent->extent[last] = extent->extent[i];
            continue;
        }
        shape->extent[last] *= inner;
        first->extent[last] = first->extent[last] * inner + first->extent[i];
        extent->extent[last] *= extent->extent[i];
    }
    if (shape->rank) shape->rank = last + 1;
}

tg_status tg_axe_slice(const tg_axe *axe, const tg_shape *shape, const tg_shape *first,
                       const tg_shape *extent, tg_axe *out, tg_diags *diags)
{
    tg_shape merged = *shape, from = *first, part = *extent;
    tg_groups groups;
    tg_coordinate at;
    int64_t element;
    TG_TRY(tg_axe_admit(axe, shape, diags));
    TG_TRY(check_part(shape, first, extent, diags));
    TG_TRY(tg_shape_index(shape, first, &element, diags));
    merge(&merged, &from, &part);
    TG_TRY(tg_axe_group(axe, &merged, &groups, diags));
    tg_axe_begin(out);
    for (int i = 0; i < merged.rank; i++) {
        tg_iters block = {.count = 0};
        tg_groups_put(&groups, i, &block);
        TG_TRY(tg_iters_slice(&block, from.extent[i], part.extent[i], &out->d, diags));
    }
    tg_iters_copy(&axe->r, &out->r);
    tg_axe_unswizzled(axe, element, &at);
    memcpy(out->offset, at.at, sizeof out->offset);
    out->swizzle = axe->swizzle;
    return TG_OK;
}
