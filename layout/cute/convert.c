#include "layout/cute/convert.h"

#include "layout/cute/digits.h"
#include "layout/cute/modes.h"

static tg_status check_memory(const tg_axe *axe, tg_axis *axis, tg_diags *diags)
{
    *axis = axe->swizzle.bits ? axe->swizzle.axis : TG_AXIS_NONE;
    if (axe->r.count)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "copies (R) have no counterpart in a CuTe layout of memory");
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        const tg_range range = tg_axe_range(axe, (tg_axis)a);
        if (range.least == 0 && range.most == 0) continue;
        if (*axis != TG_AXIS_NONE && *axis != (tg_axis)a)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "a CuTe layout of memory has one axis, not both %s and %s",
                           tg_axes[*axis].name, tg_axes[a].name);
        *axis = (tg_axis)a;
    }
    if (*axis != TG_AXIS_NONE && tg_axes[*axis].kind != TG_AXIS_MEMORY)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "axis %s is not of memory",
                       tg_axes[*axis].name);
    return TG_OK;
}

static void put_dimension(const tg_digits *digits, int dim, tg_cute *out)
{
    tg_modes modes = {.count = 0};
    for (int i = 0; i < digits->count; i++)
        if (digits->list[i].dim == dim)
            modes.list[modes.count++] =
                (tg_mode){digits->list[i].it.extent, digits->list[i].it.stride};
    tg_modes_coalesce(&modes);
    tg_modes_put(&modes, out);
}

tg_status tg_cute_from_axe(const tg_axe *axe, const tg_shape *shape, tg_cute *out, tg_diags *diags)
{
    tg_digits digits;
    tg_axis axis;
    TG_TRY(check_memory(axe, &axis, diags));
    TG_TRY(tg_digits_of_axe(axe, shape, &digits, diags));
    tg_cute_begin(out);
    const int tuple = shape->rank > 1 ? tg_cute_open(out) : 0;
    for (int i = 0; i < shape->rank; i++) put_dimension(&digits, shape->rank - 1 - i, out);
    if (shape->rank > 1) tg_cute_close(out, tuple);
    if (shape->rank == 0) tg_cute_put(out, 1, 0);
    if (axis != TG_AXIS_NONE) out->offset = axe->offset[axis];
    out->swizzle = axe->swizzle;
    if (out->swizzle.bits) out->swizzle.axis = TG_AXIS_m;
    return tg_cute_check(out, diags);
}

tg_status tg_cute_to_axe(const tg_cute *cute, const tg_shape *shape, tg_axis axis, tg_axe *out,
                         tg_diags *diags)
{
    tg_modes modes;
    tg_iters iters = {.count = 0};
    tg_digits digits;
    if (axis >= TG_AXIS_COUNT || tg_axes[axis].kind != TG_AXIS_MEMORY)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "axis %s is not of memory",
                       axis < TG_AXIS_COUNT ? tg_axes[axis].name : "none");
    tg_modes_of(cute, 0, &modes);
    tg_modes_coalesce(&modes);
    for (int i = 0; i < modes.count; i++)
        tg_iters_put(&iters, modes.list[i].extent, modes.list[i].stride, axis);
    TG_TRY(tg_digits_split(&iters, shape, &digits, diags));
    tg_axe_begin(out);
    for (int i = 0; i < shape->rank; i++) tg_digits_put(&digits, i, &out->d);
    out->offset[axis] = cute->offset;
    out->swizzle = cute->swizzle;
    if (out->swizzle.bits) out->swizzle.axis = axis;
    return tg_axe_check(out, diags);
}
