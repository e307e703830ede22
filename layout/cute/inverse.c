#include "layout/cute/inverse.h"

#include "layout/cute/compose.h"
#include "layout/cute/modes.h"
#include "layout/map.h"

/* A mode, and what a step of its digit is in the index of an element. */
typedef struct placed_mode {
    tg_mode mode;
    int64_t place;
} placed_mode;

typedef struct placed_modes {
    int count;
    placed_mode list[TG_TUPLE_MOST_INTEGERS];
} placed_modes;

/* The modes but those of stride 0, with lower strides first. */
static void sorted_modes(const tg_cute *cute, placed_modes *out)
{
    tg_modes modes;
    int64_t place = 1;
    out->count = 0;
    tg_modes_of(cute, 0, &modes);
    tg_modes_coalesce(&modes);
    for (int i = 0; i < modes.count; i++) {
        const tg_mode mode = modes.list[i];
        int k = out->count;
        if (mode.stride) {
            for (; k > 0 && mode.stride < out->list[k - 1].mode.stride; k--)
                out->list[k] = out->list[k - 1];
            out->list[k] = (placed_mode){mode, place};
            out->count++;
        }
        place *= mode.extent;
    }
}

static void put_result(tg_modes *result, tg_cute *out)
{
    tg_modes_coalesce(result);
    tg_cute_begin(out);
    tg_modes_put(result, out);
}

static void invert_right(const tg_cute *cute, tg_cute *out)
{
    placed_modes modes;
    tg_modes result = {.count = 0};
    int64_t current = 1;
    sorted_modes(cute, &modes);
    for (int i = 0; i < modes.count; i++) {
        const placed_mode m = modes.list[i];
        if (m.mode.stride != current) continue;
        result.list[result.count++] = (tg_mode){m.mode.extent, m.place};
        current *= m.mode.extent; /* fits, since indices fit in 61 bits */
    }
    put_result(&result, out);
}

/* With all strides negative, -L is inverted: R(-y) = -R(y).  Then what is first has the stride next to 0. */
static tg_status make_positive(placed_modes *modes, bool *negative, tg_diags *diags)
{
    const int last = modes->count - 1;
    *negative = last >= 0 && modes->list[last].mode.stride < 0;
    if (last >= 0 && !*negative && modes->list[0].mode.stride < 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "strides %lld and %lld have different signs: there is no left inverse",
                       (long long)modes->list[0].mode.stride,
                       (long long)modes->list[last].mode.stride);
    for (int i = 0; *negative && i <= last - i; i++) {
        const placed_mode m = modes->list[i];
        modes->list[i] = modes->list[last - i];
        modes->list[last - i] = m;
    }
    for (int i = 0; *negative && i <= last; i++)
        modes->list[i].mode.stride = -modes->list[i].mode.stride;
    return TG_OK;
}

/* Whether indices of the lower modes stay below the stride of the next, which divides evenly. */
static tg_status check_chain(const placed_modes *modes, tg_diags *diags)
{
    for (int i = 0; i + 1 < modes->count; i++) {
        const tg_mode low = modes->list[i].mode, high = modes->list[i + 1].mode;
        if (high.stride % low.stride != 0)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "left inverse divisibility: stride %lld does not divide stride %lld",
                           (long long)low.stride, (long long)high.stride);
        if (high.stride / low.stride < low.extent)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "modes %lld:%lld and %lld:%lld overlap: there is no left inverse",
                           (long long)low.extent, (long long)low.stride, (long long)high.extent,
                           (long long)high.stride);
    }
    return TG_OK;
}

/* The digit of a mode is y / stride, modulo the stride of the next by this. */
static tg_status invert_left(const tg_cute *cute, tg_cute *out, tg_diags *diags)
{
    placed_modes modes;
    tg_modes result = {.count = 0};
    bool negative;
    int64_t place = 0, stride = 1;
    sorted_modes(cute, &modes);
    TG_TRY(make_positive(&modes, &negative, diags));
    TG_TRY(check_chain(&modes, diags));
    for (int i = 0; i < modes.count; i++) {
        const placed_mode m = modes.list[i];
        result.list[result.count++] = (tg_mode){m.mode.stride / stride, place};
        stride = m.mode.stride;
        place = negative ? -m.place : m.place;
    }
    /* Extents of 2 or more are at most 62, so there is room. */
    if (modes.count == 0)
        result.list[result.count++] = (tg_mode){tg_cute_size(cute), 0};
    else
        result.list[result.count++] = (tg_mode){modes.list[modes.count - 1].mode.extent, place};
    put_result(&result, out);
    return TG_OK;
}

/* Inverse after the swizzle, which is its own inverse. */
static tg_status after_swizzle(const tg_cute *cute, int64_t size, tg_cute *inverse, tg_diags *diags)
{
    tg_cute all;
    if (cute->offset)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "the inverse of a layout with an offset");
    if (!cute->swizzle.bits) return TG_OK;
    tg_cute_begin(&all);
    tg_cute_put(&all, size, 1);
    all.swizzle = cute->swizzle;
    return tg_cute_compose(inverse, &all, inverse, diags);
}

static tg_status no_swizzled_inverse(tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "the swizzle leaves the inverse of the layout: their composition is none");
}

tg_status tg_cute_right_inverse(const tg_cute *cute, tg_cute *out, tg_diags *diags)
{
    tg_cute result;
    const int64_t size = tg_cute_size(cute);
    invert_right(cute, &result);
    TG_TRY(after_swizzle(cute, tg_cute_size(&result), &result, diags));
    for (int64_t i = 0; cute->swizzle.bits && i < tg_cute_size(&result); i++) {
        const int64_t x = tg_cute_map(&result, i);
        if (x < 0 || x >= size || tg_cute_map(cute, x) != i) return no_swizzled_inverse(diags);
    }
    tg_cute_copy(&result, out);
    return tg_cute_check(out, diags);
}

tg_status tg_cute_left_inverse(const tg_cute *cute, tg_cute *out, tg_diags *diags)
{
    tg_cute result;
    int64_t i;
    TG_TRY(invert_left(cute, &result, diags));
    TG_TRY(after_swizzle(cute, tg_cute_size(&result), &result, diags));
    const int64_t size = cute->swizzle.bits ? tg_cute_size(cute) : 0;
    if (size > TG_AXE_MOST_POINTS)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "to try a swizzle on %lld elements is too much", (long long)size);
    for (int64_t x = 0; x < size; x++) {
        const int64_t y = tg_cute_map(cute, x);
        if (!tg_cute_map_beyond(&result, y, &i) || i < 0 || i >= size || tg_cute_map(cute, i) != y)
            return no_swizzled_inverse(diags);
    }
    tg_cute_copy(&result, out);
    return tg_cute_check(out, diags);
}
