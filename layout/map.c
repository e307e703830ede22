#include "layout/map.h"

#include <string.h>

#include "layout/canonical.h"

/* Adds the digits of row-major index i to the coordinate. */
static void add_digits(const tg_iters *iters, int64_t i, tg_coordinate *coordinate)
{
    for (int k = iters->count - 1; k >= 0 && i; k--) {
        const tg_iter it = iters->list[k];
        if (it.stride) coordinate->at[it.axis] += i % it.extent * it.stride;
        i /= it.extent;
    }
}

void tg_axe_unswizzled(const tg_axe *axe, int64_t x, tg_coordinate *out)
{
    memcpy(out->at, axe->offset, sizeof out->at);
    add_digits(&axe->d, x, out);
}

void tg_axe_add_copy(const tg_axe *axe, int64_t r, tg_coordinate *coordinate)
{
    add_digits(&axe->r, r, coordinate);
}

void tg_axe_map(const tg_axe *axe, int64_t x, int64_t r, tg_coordinate *out)
{
    tg_axe_unswizzled(axe, x, out);
    add_digits(&axe->r, r, out);
    if (axe->swizzle.bits) {
        int64_t *v = &out->at[axe->swizzle.axis];
        *v = tg_swizzle_apply(&axe->swizzle, *v);
    }
}

/* An odometer over the iters: `digits` become those of the next element.  Returns how far the
 * coordinate moves. */
static int64_t next(const tg_iters *d, int64_t *digits, int from)
{
    int64_t moved = 0;
    for (int k = from; k >= 0; k--) {
        const tg_iter it = d->list[k];
        if (++digits[k] < it.extent) return moved + it.stride;
        digits[k] = 0;
        moved -= it.stride * (it.extent - 1);
    }
    return moved;
}

/* The iters as far as they move on an axis: all others are digits that move nothing, and become
 * few. */
static void project(const tg_iters *d, tg_axis axis, tg_iters *out)
{
    out->count = 0;
    for (int k = 0; k < d->count; k++) {
        const tg_iter it = d->list[k];
        const bool moves = it.axis == axis;
        tg_iters_put(out, it.extent, moves ? it.stride : 0, moves ? axis : TG_AXIS_NONE);
    }
    tg_iters_fuse(out);
}

/* The fastest iter is an inner loop, so that a run of elements costs an addition each. */
static void map_runs(const tg_iters *d, int64_t offset, int64_t first, int64_t count, int64_t *out)
{
    const int inner = d->count - 1;
    const tg_iter run = d->list[inner];
    int64_t digits[TG_AXE_MAX_ITERS], x = first, base = offset;
    for (int k = inner; k >= 0; k--) {
        digits[k] = x % d->list[k].extent;
        x /= d->list[k].extent;
        if (k < inner) base += digits[k] * d->list[k].stride;
    }
    int64_t begin = digits[inner];
    for (int64_t done = 0; done < count;) {
        const int64_t left = count - done, length = run.extent - begin;
        const int64_t n = length < left ? length : left;
        for (int64_t i = 0; i < n; i++) out[done + i] = base + (begin + i) * run.stride;
        done += n;
        begin = 0;
        base += next(d, digits, inner - 1);
    }
}

void tg_axe_map_many(const tg_axe *axe, tg_axis axis, int64_t first, int64_t count, int64_t *out)
{
    tg_iters d;
    project(&axe->d, axis, &d);
    if (d.count)
        map_runs(&d, axe->offset[axis], first, count, out);
    else if (count)
        *out = axe->offset[axis];
    if (axe->swizzle.bits && axe->swizzle.axis == axis)
        tg_swizzle_apply_many(&axe->swizzle, out, count);
}
