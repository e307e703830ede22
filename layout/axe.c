#include "layout/axe.h"

#include <stdlib.h>
#include <string.h>

enum { TOP_BIT = 62 }; /* of a swizzle: no bit above it changes */

void tg_axe_begin(tg_axe *axe)
{
    axe->d.count = axe->r.count = 0;
    memset(axe->offset, 0, sizeof axe->offset);
    axe->swizzle = (tg_swizzle){0};
}

void tg_iters_put(tg_iters *iters, int64_t extent, int64_t stride, tg_axis axis)
{
    iters->list[iters->count++] = (tg_iter){extent, stride, stride ? axis : TG_AXIS_NONE};
}

void tg_iters_copy(const tg_iters *from, tg_iters *to)
{
    to->count = from->count;
    memcpy(to->list, from->list, (size_t)from->count * sizeof *from->list);
}

void tg_axe_copy(const tg_axe *from, tg_axe *to)
{
    tg_iters_copy(&from->d, &to->d);
    tg_iters_copy(&from->r, &to->r);
    memcpy(to->offset, from->offset, sizeof to->offset);
    to->swizzle = from->swizzle;
}

/* Multiplies `*elements` by the extents; widens the ranges by the iters. */
static tg_status check_iters(const tg_iters *iters, int64_t *elements, tg_range *ranges,
                             tg_diags *diags)
{
    for (int i = 0; i < iters->count; i++) {
        const tg_iter it = iters->list[i];
        int64_t reach;
        if (it.extent < 1)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "an extent is %lld; it is at least 1",
                           (long long)it.extent);
        if (__builtin_mul_overflow(*elements, it.extent, elements))
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "the product of all extents does not fit in 63 bits");
        if (it.stride == 0) continue;
        tg_range *range = &ranges[it.axis];
        int64_t *end = it.stride > 0 ? &range->most : &range->least;
        if (__builtin_mul_overflow(it.stride, it.extent - 1, &reach) ||
            __builtin_add_overflow(*end, reach, end))
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "coordinates on axis %s do not fit in 63 bits", tg_axes[it.axis].name);
    }
    return TG_OK;
}

static tg_status check_swizzle(const tg_swizzle *swizzle, tg_diags *diags)
{
    const int shift = abs(swizzle->shift);
    if (swizzle->bits == 0) return TG_OK;
    if (swizzle->bits < 0 || swizzle->base < 0 || shift > TOP_BIT || swizzle->bits > TOP_BIT ||
        swizzle->base > TOP_BIT || swizzle->base + swizzle->bits + shift > TOP_BIT)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a swizzle moves bits that a number has not");
    if (shift < swizzle->bits)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a swizzle of %d bits shifts by %d; it must shift by %d or more",
                       swizzle->bits, swizzle->shift, swizzle->bits);
    if (tg_axes[swizzle->axis].kind != TG_AXIS_MEMORY)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a swizzle is of memory, not of axis %s",
                       tg_axes[swizzle->axis].name);
    return TG_OK;
}

tg_status tg_axe_check(const tg_axe *axe, tg_diags *diags)
{
    int64_t elements = 1;
    tg_range ranges[TG_AXIS_COUNT];
    for (int a = 0; a < TG_AXIS_COUNT; a++) ranges[a] = (tg_range){axe->offset[a], axe->offset[a]};
    TG_TRY(check_iters(&axe->d, &elements, ranges, diags));
    TG_TRY(check_iters(&axe->r, &elements, ranges, diags));
    /* Spans and sums of two coordinates must fit as well. */
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (ranges[a].least < -INT64_MAX / 4 || ranges[a].most > INT64_MAX / 4)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "coordinates on axis %s do not fit in 61 bits", tg_axes[a].name);
    return check_swizzle(&axe->swizzle, diags);
}

int64_t tg_iters_size(const tg_iters *iters)
{
    int64_t size = 1;
    for (int i = 0; i < iters->count; i++) size *= iters->list[i].extent;
    return size;
}

int64_t tg_axe_size_on(const tg_axe *axe, tg_axis axis)
{
    int64_t size = 1;
    for (int i = 0; i < axe->d.count; i++)
        if (axe->d.list[i].axis == axis) size *= axe->d.list[i].extent;
    return size;
}

static void widen(const tg_iters *iters, tg_axis axis, tg_range *range)
{
    for (int i = 0; i < iters->count; i++) {
        const tg_iter it = iters->list[i];
        if (it.axis != axis) continue;
        const int64_t reach = it.stride * (it.extent - 1);
        *(reach < 0 ? &range->least : &range->most) += reach;
    }
}

tg_range tg_axe_range(const tg_axe *axe, tg_axis axis)
{
    tg_range range = {axe->offset[axis], axe->offset[axis]};
    widen(&axe->d, axis, &range);
    widen(&axe->r, axis, &range);
    return range;
}

int64_t tg_axe_span(const tg_axe *axe, tg_axis axis)
{
    const tg_range range = tg_axe_range(axe, axis);
    return range.most - range.least + 1;
}

int64_t tg_swizzle_apply(const tg_swizzle *swizzle, int64_t v)
{
    const uint64_t ones = (UINT64_C(1) << swizzle->bits) - 1, bits = (uint64_t)v;
    const int left = swizzle->shift < 0 ? -swizzle->shift : 0;
    const int right = swizzle->shift > 0 ? swizzle->shift : 0;
    const uint64_t from = bits >> (swizzle->base + right) & ones;
    return (int64_t)(bits ^ from << (swizzle->base + left));
}

void tg_swizzle_apply_many(const tg_swizzle *swizzle, int64_t *values, int64_t count)
{
    const tg_swizzle s = *swizzle; /* that no value changes: the loop is one of vectors */
    for (int64_t i = 0; i < count; i++) values[i] = tg_swizzle_apply(&s, values[i]);
}

bool tg_swizzle_same(const tg_swizzle *a, const tg_swizzle *b)
{
    if (a->bits == 0 || b->bits == 0) return a->bits == b->bits;
    return a->bits == b->bits && a->base == b->base && a->shift == b->shift && a->axis == b->axis;
}
