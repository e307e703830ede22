#include "layout/mosaic/factors.h"

#include <inttypes.h>

#include "layout/canonical.h"
#include "layout/multiples.h"
#include "layout/thread.h"

enum { WARPS = TG_WARPGROUP_THREADS / TG_WARP_THREADS };

/* tid_in_wg = 32 wid_in_wg + lane: an iter that stays in a warp, that goes from warp to warp, or that
 * is both, which makes two. */
static tg_status put_threads(const tg_iter *it, tg_iters *out, tg_diags *diags)
{
    const int64_t warp = TG_WARP_THREADS;
    if (it->stride > 0 && it->stride < warp && it->extent <= warp / it->stride) {
        tg_iters_put(out, it->extent, it->stride, TG_AXIS_lane);
    } else if (it->stride % warp == 0) {
        tg_iters_put(out, it->extent, it->stride / warp, TG_AXIS_wid_in_wg);
    } else if (it->stride > 0 && warp % it->stride == 0 && it->extent % (warp / it->stride) == 0) {
        tg_iters_put(out, it->extent / (warp / it->stride), 1, TG_AXIS_wid_in_wg);
        tg_iters_put(out, warp / it->stride, it->stride, TG_AXIS_lane);
    } else {
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "iter %" PRId64 ":%" PRId64 "@tid_in_wg is not one of warps and lanes",
                       it->extent, it->stride);
    }
    return TG_OK;
}

static tg_status put_iters(const tg_iters *from, tg_iters *to, tg_diags *diags)
{
    for (int i = 0; i < from->count; i++) {
        const tg_iter *it = &from->list[i];
        if (it->extent == 1) continue; /* so that what is split has room */
        if (it->axis == TG_AXIS_tid_in_wg)
            TG_TRY(put_threads(it, to, diags));
        else
            tg_iters_put(to, it->extent, it->stride, it->axis);
    }
    return TG_OK;
}

static tg_status check_axes(const tg_axe *axe, tg_diags *diags)
{
    const tg_iters *parts[] = {&axe->d, &axe->r};
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < parts[p]->count; i++) {
            const tg_axis axis = parts[p]->list[i].axis;
            if (axis != TG_AXIS_wid_in_wg && axis != TG_AXIS_lane && axis != TG_AXIS_reg &&
                axis != TG_AXIS_NONE)
                return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                               "axis %s is not of the registers of a warpgroup",
                               tg_axes[axis].name);
        }
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (axe->offset[a])
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "there is an offset, %" PRId64 "@%s",
                           axe->offset[a], tg_axes[a].name);
    return TG_OK;
}

tg_status tg_warpgroup_axe(const tg_axe *axe, tg_axe *out, tg_diags *diags)
{
    if (axe->swizzle.bits)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "registers of a warpgroup have no swizzle");
    tg_axe plain;
    tg_axe_copy(axe, &plain);
    tg_axe_canonize(&plain); /* then each iter but one or two has an extent of 2 or more */
    tg_axe_begin(out);
    TG_TRY(put_iters(&plain.d, &out->d, diags));
    TG_TRY(put_iters(&plain.r, &out->r, diags));
    for (int a = 0; a < TG_AXIS_COUNT; a++) out->offset[a] = plain.offset[a];
    tg_axe_canonize(out);
    return check_axes(out, diags);
}

/* The digits of a number on an axis: strides 1, e1, e1 e2, .. in any order. */
typedef struct radix {
    int count;
    tg_iter list[2 * TG_AXE_MAX_ITERS];
} radix;

static void add_digits(const tg_iters *iters, tg_axis axis, radix *out)
{
    for (int i = 0; i < iters->count; i++) {
        if (iters->list[i].axis != axis) continue;
        int k = out->count++;
        for (; k > 0 && out->list[k - 1].stride > iters->list[i].stride; k--)
            out->list[k] = out->list[k - 1];
        out->list[k] = iters->list[i];
    }
}

/* Whether D and R on an axis make each number below their product once. */
static tg_status check_radix(const tg_axe *axe, tg_axis axis, int64_t *product, tg_diags *diags)
{
    radix r = {0};
    add_digits(&axe->d, axis, &r);
    add_digits(&axe->r, axis, &r);
    *product = 1;
    for (int i = 0; i < r.count; i++) {
        if (r.list[i].stride != *product)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "on axis %s, a stride is %" PRId64 ", where %" PRId64
                           " would use each number once",
                           tg_axes[axis].name, r.list[i].stride, *product);
        *product *= r.list[i].extent;
    }
    return TG_OK;
}

static tg_status check_threads(const tg_axe *axe, int64_t *values, tg_diags *diags)
{
    const tg_axis axes[] = {TG_AXIS_wid_in_wg, TG_AXIS_lane};
    const int64_t wanted[] = {WARPS, TG_WARP_THREADS};
    for (int i = 0; i < axe->d.count; i++)
        if (axe->d.list[i].stride == 0)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "%" PRId64 " elements share a value",
                           axe->d.list[i].extent);
    for (int i = 0; i < 2; i++) {
        int64_t product;
        TG_TRY(check_radix(axe, axes[i], &product, diags));
        if (product != wanted[i])
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "axis %s counts %" PRId64 "; a warpgroup has %" PRId64,
                           tg_axes[axes[i]].name, product, wanted[i]);
    }
    for (int i = 0; i < axe->r.count; i++)
        if (axe->r.list[i].axis == TG_AXIS_reg)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "a thread holds %" PRId64 " copies of a value", axe->r.list[i].extent);
    return check_radix(axe, TG_AXIS_reg, values, diags);
}

/* Splits the iters of canonical D so that each belongs to one dimension. */
static tg_status split_by_shape(const tg_iters *d, tg_factors *out, tg_diags *diags)
{
    int i = 0;
    int64_t left = d->count ? d->list[0].extent : 1; /* of iter i */
    for (int dim = 0; dim < out->shape.rank; dim++)
        for (int64_t wanted = out->shape.extent[dim]; wanted > 1;) {
            const tg_iter it = d->list[i];
            const int64_t outer = tg_gcd(left, wanted);
            if (outer == 1)
                return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                               "iter %" PRId64 ":%" PRId64 "@%s crosses the end of dimension %d",
                               it.extent, it.stride, tg_axes[it.axis].name, dim);
            left /= outer;
            wanted /= outer;
            out->list[out->count++] = (tg_factor){{outer, it.stride * left, it.axis}, dim};
            if (left == 1 && ++i < d->count) left = d->list[i].extent;
        }
    return TG_OK;
}

tg_status tg_factors_of(const tg_axe *axe, const tg_shape *shape, tg_factors *out, tg_diags *diags)
{
    tg_axe whole;
    int64_t size;
    out->count = 0;
    out->shape = *shape;
    TG_TRY(tg_shape_size(shape, &size, diags));
    if (size != tg_iters_size(&axe->d))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the layout has %" PRId64 " elements, the shape %" PRId64,
                       tg_iters_size(&axe->d), size);
    TG_TRY(tg_warpgroup_axe(axe, &whole, diags));
    TG_TRY(check_threads(&whole, &out->values, diags));
    tg_iters_copy(&whole.r, &out->copies);
    return split_by_shape(&whole.d, out, diags);
}
