#include "layout/reduce.h"

#include <stdlib.h>
#include <string.h>

#include "layout/canonical.h"
#include "layout/group.h"
#include "layout/scope.h"
#include "layout/where_digits.h"

static tg_status check_dims(const tg_shape *shape, tg_dim_set dims, tg_diags *diags)
{
    if (dims >> shape->rank == 0) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL, "a dimension that a shape of rank %d has not",
                   shape->rank);
}

/* ---- reduction ---- */

/* Dimension by dimension; *vanished becomes the axes of memory on which iters were. */
static void take_dimensions(const tg_groups *groups, tg_dim_set dims, tg_axe *out,
                            tg_axis_set *vanished)
{
    for (int i = 0; i < groups->rank; i++) {
        if (!(dims >> i & 1)) {
            tg_groups_put(groups, i, &out->d);
            continue;
        }
        for (int k = groups->first[i]; k < groups->first[i + 1]; k++) {
            const tg_iter it = groups->d.list[k];
            if (it.axis == TG_AXIS_NONE) continue;
            if (tg_axes[it.axis].kind == TG_AXIS_MEMORY)
                *vanished |= TG_AXIS_BIT(it.axis);
            else
                out->r.list[out->r.count++] = it;
        }
    }
}

static void collect(tg_iters *iters, tg_axis axis, tg_iter **list, int *count)
{
    for (int i = 0; i < iters->count; i++) {
        tg_iter *it = &iters->list[i];
        if (it->axis != axis) continue;
        int k = (*count)++;
        for (; k > 0 && llabs(it->stride) < llabs(list[k - 1]->stride); k--) list[k] = list[k - 1];
        list[k] = it;
    }
}

/* Strides become the products of the extents of those that were smaller. */
static void renumber(tg_axe *axe, tg_axis axis, int64_t least)
{
    tg_iter *list[2 * TG_AXE_MAX_ITERS];
    int count = 0;
    int64_t step = 1;
    collect(&axe->d, axis, list, &count);
    collect(&axe->r, axis, list, &count);
    axe->offset[axis] = least;
    for (int i = 0; i < count; i++) {
        const bool negative = list[i]->stride < 0;
        if (negative) axe->offset[axis] += (list[i]->extent - 1) * step;
        list[i]->stride = negative ? -step : step;
        step *= list[i]->extent;
    }
}

/* Whether the coordinates of elements on an axis of the whole layout have an order that digits give. */
static tg_status check_order(const tg_axe *axe, tg_axis axis, tg_diags *diags)
{
    tg_axis_digits digits;
    if (axe->swizzle.bits && axe->swizzle.axis == axis)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "what is left on axis %s cannot be renumbered: it has a swizzle",
                       tg_axes[axis].name);
    tg_axis_digits_of(axe, axis, &digits);
    if (tg_axis_digits_are_separated(&digits)) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "what is left on axis %s cannot be renumbered: a stride there is not more than "
                   "smaller ones reach, so that its coordinates have no order",
                   tg_axes[axis].name);
}

tg_status tg_axe_reduce(const tg_axe *axe, const tg_shape *shape, tg_dim_set dims, tg_axe *out,
                        tg_diags *diags)
{
    tg_axe whole;
    tg_groups groups;
    tg_axis_set vanished = 0;
    TG_TRY(check_dims(shape, dims, diags));
    TG_TRY(tg_axe_group(axe, shape, &groups, diags));
    tg_axe_copy(axe, &whole);
    tg_axe_canonize(&whole);
    tg_axe_copy(&whole, out);
    out->d.count = 0;
    take_dimensions(&groups, dims, out, &vanished);
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        if (!(vanished & TG_AXIS_BIT(a))) continue;
        TG_TRY(check_order(&whole, (tg_axis)a, diags));
        renumber(out, (tg_axis)a, tg_axe_range(&whole, (tg_axis)a).least);
    }
    return TG_OK;
}

/* ---- broadcast ---- */

tg_status tg_axe_broadcast(const tg_axe *axe, const tg_shape *shape, tg_dim_set dims, tg_axe *out,
                           tg_diags *diags)
{
    tg_shape operand = *shape;
    tg_groups groups;
    int64_t size;
    TG_TRY(check_dims(shape, dims, diags));
    TG_TRY(tg_shape_size(shape, &size, diags));
    for (int i = 0; i < shape->rank; i++)
        if (dims >> i & 1) operand.extent[i] = 1;
    TG_TRY(tg_axe_group(axe, &operand, &groups, diags));
    tg_axe_copy(axe, out);
    out->d.count = 0;
    for (int i = 0; i < shape->rank; i++) {
        tg_groups_put(&groups, i, &out->d);
        if (dims >> i & 1 && shape->extent[i] > 1)
            tg_iters_put(&out->d, shape->extent[i], 0, TG_AXIS_NONE);
    }
    return tg_axe_check(out, diags);
}
