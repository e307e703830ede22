#include "layout/recast.h"

#include "layout/group.h"

static bool counts_elements(tg_axis axis)
{
    return tg_axes[axis].kind == TG_AXIS_MEMORY && tg_axes[axis].unit != TG_UNIT_CELL;
}

static tg_status check(tg_axis axis, int64_t count, tg_diags *diags)
{
    if (axis >= TG_AXIS_COUNT || !counts_elements(axis))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "axis %s does not count elements or bytes of memory",
                       axis < TG_AXIS_COUNT ? tg_axes[axis].name : "none");
    if (count >= 1) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL, "%lld parts of an element; there is at least 1",
                   (long long)count);
}

tg_status tg_axe_packed_axis(const tg_axe *axe, tg_axis *out, tg_diags *diags)
{
    *out = TG_AXIS_NONE;
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        const tg_range range = tg_axe_range(axe, (tg_axis)a);
        if (!counts_elements((tg_axis)a) || (range.least == 0 && range.most == 0)) continue;
        if (*out != TG_AXIS_NONE)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "the layout has elements on axes %s and %s: which one counts parts of "
                           "them must be said",
                           tg_axes[*out].name, tg_axes[a].name);
        *out = (tg_axis)a;
    }
    if (*out == TG_AXIS_NONE) *out = TG_AXIS_m;
    return TG_OK;
}

/* The bits of a power of two, or -1. */
static int bits_of(int64_t count)
{
    int bits = 0;
    while (count % 2 == 0) {
        count /= 2;
        bits++;
    }
    return count == 1 ? bits : -1;
}

static tg_status move_swizzle(tg_axe *axe, tg_axis axis, int64_t count, bool up, tg_diags *diags)
{
    const int bits = bits_of(count);
    if (!axe->swizzle.bits || axe->swizzle.axis != axis) return TG_OK;
    if (bits < 0)
        return tg_fail(
            diags, TG_ERR_UNSUPPORTED, NULL,
            "a swizzle of elements of %lld parts is none of parts: that is no power of 2",
            (long long)count);
    axe->swizzle.base += up ? bits : -bits;
    if (axe->swizzle.base >= 0) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "the swizzle takes elements apart of which %lld would be one", (long long)count);
}

static tg_status too_large(tg_axis axis, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_INVALID, NULL, "coordinates on axis %s do not fit in 61 bits",
                   tg_axes[axis].name);
}

static tg_status multiply(tg_iters *iters, tg_axis axis, int64_t by, tg_diags *diags)
{
    for (int i = 0; i < iters->count; i++)
        if (iters->list[i].axis == axis &&
            __builtin_mul_overflow(iters->list[i].stride, by, &iters->list[i].stride))
            return too_large(axis, diags);
    return TG_OK;
}

tg_status tg_axe_unpack(const tg_axe *axe, tg_axis axis, int64_t count, tg_axe *out,
                        tg_diags *diags)
{
    tg_axe result;
    TG_TRY(check(axis, count, diags));
    tg_axe_copy(axe, &result);
    TG_TRY(multiply(&result.d, axis, count, diags));
    TG_TRY(multiply(&result.r, axis, count, diags));
    if (__builtin_mul_overflow(result.offset[axis], count, &result.offset[axis]))
        return too_large(axis, diags);
    if (result.d.count == TG_AXE_MAX_ITERS)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "a layout has at most %d iters",
                       TG_AXE_MAX_ITERS);
    if (count > 1) tg_iters_put(&result.d, count, 1, axis);
    TG_TRY(move_swizzle(&result, axis, count, true, diags));
    tg_axe_copy(&result, out);
    return tg_axe_check(out, diags);
}

static tg_status no_multiple(const char *what, int64_t number, tg_axis axis, int64_t count,
                             tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "%s %lld on axis %s is no multiple of %lld",
                   what, (long long)number, tg_axes[axis].name, (long long)count);
}

static tg_status divide(tg_iters *iters, tg_axis axis, int64_t by, tg_diags *diags)
{
    for (int i = 0; i < iters->count; i++) {
        tg_iter *it = &iters->list[i];
        if (it->axis != axis || it->extent == 1) continue;
        if (it->stride % by != 0) return no_multiple("stride", it->stride, axis, by, diags);
        it->stride /= by;
    }
    return TG_OK;
}

/* The elements that become one must be the innermost digit, side by side. */
static tg_status drop_innermost(const tg_axe *axe, tg_axis axis, int64_t count, tg_iters *out,
                                tg_diags *diags)
{
    tg_groups groups;
    const int64_t size = tg_iters_size(&axe->d);
    if (size % count != 0)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the layout has %lld elements, no multiple of %lld", (long long)size,
                       (long long)count);
    const tg_extents extents = {2, {size / count, count}};
    TG_TRY(tg_iters_group(&axe->d, &extents, &groups, diags));
    const tg_iter *last = &groups.d.list[groups.first[1]];
    if (count > 1 &&
        (groups.first[2] - groups.first[1] != 1 || last->axis != axis || last->stride != 1))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "%lld elements that follow each other do not lie side by side on axis %s",
                       (long long)count, tg_axes[axis].name);
    tg_groups_put(&groups, 0, out);
    return TG_OK;
}

tg_status tg_axe_pack(const tg_axe *axe, tg_axis axis, int64_t count, tg_axe *out, tg_diags *diags)
{
    tg_axe result;
    TG_TRY(check(axis, count, diags));
    tg_axe_copy(axe, &result);
    result.d.count = 0;
    TG_TRY(drop_innermost(axe, axis, count, &result.d, diags));
    TG_TRY(divide(&result.d, axis, count, diags));
    TG_TRY(divide(&result.r, axis, count, diags));
    if (result.offset[axis] % count != 0)
        return no_multiple("offset", result.offset[axis], axis, count, diags);
    result.offset[axis] /= count;
    TG_TRY(move_swizzle(&result, axis, count, false, diags));
    tg_axe_copy(&result, out);
    return tg_axe_check(out, diags);
}
