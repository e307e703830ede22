#include "layout/cute/axe_algebra.h"

#include <stdlib.h>

#include "layout/canonical.h"
#include "layout/compose.h"
#include "layout/cute/complement.h"
#include "layout/cute/convert.h"
#include "layout/cute/inverse.h"
#include "layout/cute/modes.h"

static const char no_swizzle[] = "%s is not defined because there is a swizzle on axis %s";

/* ---- complement ---- */

static void put_modes(const tg_iters *iters, tg_axis axis, tg_modes *out)
{
    for (int i = iters->count - 1; i >= 0; i--)
        if (iters->list[i].axis == axis && out->count < TG_TUPLE_MOST_INTEGERS)
            out->list[out->count++] =
                (tg_mode){iters->list[i].extent, llabs(iters->list[i].stride)};
}

/* As iters on an axis, the fastest last. */
static void from_cute(const tg_cute *cute, tg_axis axis, tg_iters *out)
{
    tg_modes modes;
    tg_modes_of(cute, 0, &modes);
    tg_modes_coalesce(&modes);
    for (int i = modes.count - 1; i >= 0; i--)
        tg_iters_put(out, modes.list[i].extent, modes.list[i].stride, axis);
}

tg_status tg_axe_complement(const tg_axe *axe, tg_axis axis, int64_t size, tg_axe *out,
                            tg_diags *diags)
{
    tg_axe canonical;
    tg_modes modes = {.count = 0};
    tg_cute occupied, rest;
    if (axe->swizzle.bits && axe->swizzle.axis == axis)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, no_swizzle, "the complement",
                       tg_axes[axis].name);
    tg_axe_copy(axe, &canonical);
    tg_axe_canonize(&canonical);
    put_modes(&canonical.d, axis, &modes);
    put_modes(&canonical.r, axis, &modes);
    tg_cute_begin(&occupied);
    tg_modes_put(&modes, &occupied);
    TG_TRY(tg_cute_check(&occupied, diags));
    TG_TRY(tg_cute_complement(&occupied, size, &rest, diags));
    tg_axe_begin(out);
    from_cute(&rest, axis, &out->d);
    return tg_axe_check(out, diags);
}

/* ---- division and product ---- */

static tg_status check_second(const tg_axe *b, const char *operation, tg_axis *axis,
                              tg_diags *diags)
{
    TG_TRY(tg_axe_only_axis(b, operation, axis, diags));
    if (b->swizzle.bits)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, no_swizzle, operation, tg_axes[*axis].name);
    if (b->r.count || (*axis != TG_AXIS_NONE && b->offset[*axis]))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "%s is not defined because the second layout has %s", operation,
                       b->r.count ? "copies" : "an offset");
    if (*axis == TG_AXIS_NONE) *axis = TG_AXIS_m; /* no iter moves: any axis will do */
    return TG_OK;
}

static tg_status append(const tg_iters *iters, tg_iters *out, tg_diags *diags)
{
    for (int i = 0; i < iters->count; i++) {
        if (iters->list[i].extent == 1) continue;
        if (out->count == TG_AXE_MAX_ITERS)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "a layout has at most %d iters",
                           TG_AXE_MAX_ITERS);
        out->list[out->count++] = iters->list[i];
    }
    return TG_OK;
}

tg_status tg_axe_divide(const tg_axe *a, const tg_axe *b, tg_axe *out, tg_diags *diags)
{
    tg_axis axis;
    tg_axe both;
    TG_TRY(check_second(b, "the division", &axis, diags));
    TG_TRY(tg_axe_complement(b, axis, tg_iters_size(&a->d), &both, diags));
    TG_TRY(append(&b->d, &both.d, diags));
    TG_TRY(tg_axe_check(&both, diags));
    return tg_axe_compose(a, &both, out, diags);
}

/* Coordinates that a takes on an axis, digit by digit. */
static int64_t places_on(const tg_axe *canonical, tg_axis axis)
{
    int64_t places = tg_axe_size_on(canonical, axis);
    for (int i = 0; i < canonical->r.count; i++)
        if (canonical->r.list[i].axis == axis) places *= canonical->r.list[i].extent;
    return places;
}

tg_status tg_axe_product(const tg_axe *a, const tg_axe *b, tg_axe *out, tg_diags *diags)
{
    tg_axis axis;
    tg_axe canonical, rest, repeated, result;
    int64_t size;
    TG_TRY(check_second(b, "the product", &axis, diags));
    tg_axe_copy(a, &canonical);
    tg_axe_canonize(&canonical);
    if (__builtin_mul_overflow(places_on(&canonical, axis), tg_axe_span(b, axis), &size))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the size of the product does not fit in 63 bits");
    TG_TRY(tg_axe_complement(a, axis, size, &rest, diags));
    TG_TRY(tg_axe_compose(&rest, b, &repeated, diags));
    tg_axe_copy(a, &result);
    result.d.count = 0;
    TG_TRY(append(&repeated.d, &result.d, diags));
    TG_TRY(append(&a->d, &result.d, diags));
    tg_axe_copy(&result, out);
    return tg_axe_check(out, diags);
}

/* ---- inverses ---- */

typedef tg_status inverts(const tg_cute *cute, tg_cute *out, tg_diags *diags);

static void rename_axis(tg_iters *iters)
{
    for (int i = 0; i < iters->count; i++)
        if (iters->list[i].stride) iters->list[i].axis = TG_AXIS_m;
}

static tg_status invert(const tg_axe *axe, inverts *inverse, tg_axe *out, tg_diags *diags)
{
    tg_axis axis;
    tg_axe plain;
    tg_cute cute;
    TG_TRY(tg_axe_only_axis(axe, "the inverse", &axis, diags));
    tg_axe_copy(axe, &plain);
    tg_axe_canonize(&plain);
    if (plain.r.count || (axis != TG_AXIS_NONE && plain.offset[axis]))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the inverse is not defined because the layout has %s",
                       plain.r.count ? "copies" : "an offset");
    rename_axis(&plain.d);
    plain.swizzle.axis = TG_AXIS_m;
    const tg_shape all = {1, {tg_iters_size(&plain.d)}};
    TG_TRY(tg_cute_from_axe(&plain, &all, &cute, diags));
    TG_TRY(inverse(&cute, &cute, diags));
    tg_axe_begin(out);
    from_cute(&cute, TG_AXIS_m, &out->d);
    out->swizzle = cute.swizzle;
    out->offset[TG_AXIS_m] = cute.offset;
    return tg_axe_check(out, diags);
}

tg_status tg_axe_right_inverse(const tg_axe *axe, tg_axe *out, tg_diags *diags)
{
    return invert(axe, tg_cute_right_inverse, out, diags);
}

/* CuTe's goes on beyond its size, in the slowest digit. */
static void go_on_to(int64_t most, tg_axe *out)
{
    const int64_t size = tg_iters_size(&out->d);
    if (most < size || !out->d.count) return;
    tg_iter *slowest = &out->d.list[0];
    slowest->extent = most / (size / slowest->extent) + 1;
}

/* A coordinate that no element exceeds: a swizzle changes no bit above its own. */
static tg_status find_bounds(const tg_axe *axe, tg_range *out, tg_diags *diags)
{
    const tg_swizzle *s = &axe->swizzle;
    const int64_t ones = (INT64_C(1) << s->bits) - 1;
    tg_axis axis;
    TG_TRY(tg_axe_only_axis(axe, "the inverse", &axis, diags));
    *out = axis == TG_AXIS_NONE ? (tg_range){0, 0} : tg_axe_range(axe, axis);
    if (s->bits) out->most |= ones << (s->base + (s->shift < 0 ? -s->shift : 0));
    for (int i = 1; s->bits && i < 64; i *= 2) out->most |= out->most >> i;
    return TG_OK;
}

tg_status tg_axe_left_inverse(const tg_axe *axe, tg_axe *out, tg_diags *diags)
{
    tg_range range;
    TG_TRY(find_bounds(axe, &range, diags));
    if (range.least < 0)
        return tg_fail(
            diags, TG_ERR_UNSUPPORTED, NULL,
            "the left inverse is not defined because the layout has coordinate %lld, and "
            "elements count from 0",
            (long long)range.least);
    TG_TRY(invert(axe, tg_cute_left_inverse, out, diags));
    go_on_to(range.most, out);
    return tg_axe_check(out, diags);
}
