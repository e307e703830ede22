#include "layout/map.h"

#include <string.h>

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
 * coordinate on the axis moves. */
static int64_t next(const tg_iters *d, tg_axis axis, int64_t *digits, int from)
{
    int64_t moved = 0;
    for (int k = from; k >= 0; k--) {
        const tg_iter it = d->list[k];
        const int64_t stride = it.axis == axis ? it.stride : 0;
        if (++digits[k] < it.extent) return moved + stride;
        digits[k] = 0;
        moved -= stride * (it.extent - 1);
    }
    return moved;
}

/* The fastest iter is an inner loop, so that a run of elements costs an addition each. */
static void map_runs(const tg_axe *axe, tg_axis axis, int64_t first, int64_t count, int64_t *out)
{
    const int inner = axe->d.count - 1;
    const tg_iter run = axe->d.list[inner];
    const int64_t stride = run.axis == axis ? run.stride : 0;
    int64_t digits[TG_AXE_MAX_ITERS], x = first;
    for (int k = inner; k >= 0; k--) {
        digits[k] = x % axe->d.list[k].extent;
        x /= axe->d.list[k].extent;
    }
    tg_coordinate at;
    tg_axe_unswizzled(axe, first - digits[inner], &at);
    int64_t base = at.at[axis], begin = digits[inner];
    for (int64_t done = 0; done < count;) {
        const int64_t left = count - done, length = run.extent - begin;
        const int64_t n = length < left ? length : left;
        for (int64_t i = 0; i < n; i++) out[done + i] = base + (begin + i) * stride;
        done += n;
        begin = 0;
        base += next(&axe->d, axis, digits, inner - 1);
    }
}

void tg_axe_map_many(const tg_axe *axe, tg_axis axis, int64_t first, int64_t count, int64_t *out)
{
    if (axe->d.count)
        map_runs(axe, axis, first, count, out);
    else if (count)
        *out = axe->offset[axis];
    if (!axe->swizzle.bits || axe->swizzle.axis != axis) return;
    for (int64_t i = 0; i < count; i++) out[i] = tg_swizzle_apply(&axe->swizzle, out[i]);
}
