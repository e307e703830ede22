#include "layout/compose.h"

#include <string.h>

#include "layout/canonical.h"
#include "layout/map.h"

/* `a`, from the fastest iter on: index x has the digit x / place % extent. */
typedef struct radix {
    tg_iter it;
    int64_t place;
    tg_range digit; /* what the offset of b and its iters make of it, so far */
} radix;

typedef struct radices {
    int count;
    radix list[TG_AXE_MAX_ITERS];
    tg_diags *diags;
} radices;

tg_status tg_axe_only_axis(const tg_axe *axe, const char *operation, tg_axis *out, tg_diags *diags)
{
    *out = axe->swizzle.bits ? axe->swizzle.axis : TG_AXIS_NONE;
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        const tg_range range = tg_axe_range(axe, (tg_axis)a);
        if ((range.least == 0 && range.most == 0) || *out == (tg_axis)a) continue;
        if (*out != TG_AXIS_NONE)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "%s is not defined: the layout is on axes %s and %s, not on one",
                           operation, tg_axes[*out].name, tg_axes[a].name);
        *out = (tg_axis)a;
    }
    return TG_OK;
}

static void radices_of(const tg_axe *a, int64_t offset, radices *out)
{
    tg_iters d;
    int64_t place = 1;
    tg_iters_copy(&a->d, &d);
    tg_iters_fuse(&d);
    out->count = 0;
    for (int i = d.count - 1; i >= 0; i--) {
        const tg_iter it = d.list[i];
        const int64_t digit = offset / place % it.extent;
        out->list[out->count++] = (radix){it, place, {digit, digit}};
        place *= it.extent;
    }
}

static tg_status no_composition(const radices *r, const tg_iter *it, const radix *at)
{
    return tg_fail(r->diags, TG_ERR_UNSUPPORTED, NULL,
                   "the composition is not defined: %lld:%lld of the second layout does not go "
                   "evenly over the %lld:%lld of the first, whose steps are %lld elements",
                   (long long)it->extent, (long long)it->stride, (long long)at->it.extent,
                   (long long)at->it.stride, (long long)at->place);
}

/* One digit of b steps by `step` in a digit of a. */
static tg_status put(radices *r, radix *at, int64_t extent, int64_t step, tg_iters *reversed)
{
    const int64_t reach = (extent - 1) * step;
    *(reach < 0 ? &at->digit.least : &at->digit.most) += reach;
    if (at->digit.least < 0 || at->digit.most >= at->it.extent)
        return tg_fail(r->diags, TG_ERR_UNSUPPORTED, NULL,
                       "the composition is not defined: iters of the second layout, or its offset, "
                       "carry beyond %lld:%lld of the first",
                       (long long)at->it.extent, (long long)at->it.stride);
    if (reversed->count == TG_AXE_MAX_ITERS)
        return tg_fail(r->diags, TG_ERR_UNSUPPORTED, NULL, "a layout has at most %d iters",
                       TG_AXE_MAX_ITERS);
    tg_iters_put(reversed, extent, step * at->it.stride, at->it.axis);
    return TG_OK;
}

/* The iter of b as digits of a, from the fastest on. */
static tg_status take_apart(radices *r, const tg_iter *it, tg_iters *reversed)
{
    int64_t extent = it->extent, stride = it->stride < 0 ? -it->stride : it->stride;
    for (int k = 0; k < r->count && extent > 1; k++) {
        radix *at = &r->list[k];
        const int64_t above = at->place * at->it.extent; /* where the next digit begins */
        if (stride % above == 0) continue;
        if (stride % at->place != 0) return no_composition(r, it, at);
        const int64_t step = stride / at->place;
        int64_t taken = extent;
        if ((extent - 1) * step >= at->it.extent) {
            taken = at->it.extent / step;
            if (at->it.extent % step != 0 || extent % taken != 0) return no_composition(r, it, at);
        }
        TG_TRY(put(r, at, taken, it->stride < 0 ? -step : step, reversed));
        extent /= taken;
        stride *= taken;
    }
    return TG_OK;
}

static tg_status compose_iters(radices *r, const tg_iters *iters, tg_iters *out)
{
    for (int i = 0; i < iters->count; i++) {
        tg_iters reversed = {.count = 0};
        if (iters->list[i].stride == 0)
            reversed.list[reversed.count++] = iters->list[i];
        else
            TG_TRY(take_apart(r, &iters->list[i], &reversed));
        for (int k = reversed.count - 1; k >= 0; k--) {
            if (out->count == TG_AXE_MAX_ITERS)
                return tg_fail(r->diags, TG_ERR_UNSUPPORTED, NULL, "a layout has at most %d iters",
                               TG_AXE_MAX_ITERS);
            out->list[out->count++] = reversed.list[k];
        }
    }
    return TG_OK;
}

static tg_status check_second(const tg_axe *a, const tg_axe *b, tg_axis axis, tg_diags *diags)
{
    if (b->swizzle.bits)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the composition is not defined: the second layout has a swizzle, which "
                       "would exchange elements of the first");
    if (axis == TG_AXIS_NONE) return TG_OK;
    const tg_range range = tg_axe_range(b, axis);
    if (range.least >= 0 && range.most < tg_iters_size(&a->d)) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL,
                   "the second layout goes from %lld to %lld, and the first has elements 0 to %lld",
                   (long long)range.least, (long long)range.most,
                   (long long)(tg_iters_size(&a->d) - 1));
}

tg_status tg_axe_compose(const tg_axe *a, const tg_axe *b, tg_axe *out, tg_diags *diags)
{
    tg_axis axis;
    tg_axe second, result;
    radices r;
    tg_coordinate at;
    TG_TRY(tg_axe_only_axis(b, "the composition", &axis, diags));
    TG_TRY(check_second(a, b, axis, diags));
    tg_axe_copy(b, &second);
    tg_axe_canonize(&second);
    const int64_t offset = axis == TG_AXIS_NONE ? 0 : second.offset[axis];
    radices_of(a, offset, &r);
    r.diags = diags;
    tg_axe_begin(&result);
    tg_iters_copy(&a->r, &result.r);
    TG_TRY(compose_iters(&r, &second.d, &result.d));
    TG_TRY(compose_iters(&r, &second.r, &result.r));
    tg_axe_unswizzled(a, offset, &at);
    memcpy(result.offset, at.at, sizeof result.offset);
    result.swizzle = a->swizzle;
    tg_axe_copy(&result, out);
    return tg_axe_check(out, diags);
}
