#include "layout/cute/swizzle.h"

#include <stdlib.h>

/* The bits that a swizzle reads, and those that it changes. */
static int64_t read_bits(const tg_swizzle *s)
{
    return ((INT64_C(1) << s->bits) - 1) << (s->base + (s->shift > 0 ? s->shift : 0));
}

static int64_t changed_bits(const tg_swizzle *s)
{
    return ((INT64_C(1) << s->bits) - 1) << (s->base - (s->shift < 0 ? s->shift : 0));
}

/* Where a run of bits begins and how long it is; 0 if it is no run. */
static int run_of(int64_t bits, int *first)
{
    int length = 0;
    if (bits <= 0) return 0;
    for (*first = 0; !(bits >> *first & 1); ++*first) {
    }
    while (bits >> (*first + length) & 1) length++;
    return bits >> *first == (INT64_C(1) << length) - 1 ? length : 0;
}

static bool swizzle_of(int64_t read, int64_t changed, tg_swizzle *out)
{
    int from, to;
    const int length = run_of(read, &from);
    if (!length || run_of(changed, &to) != length || abs(from - to) < length) return false;
    *out = (tg_swizzle){length, from < to ? from : to, from - to, TG_AXIS_m};
    return true;
}

bool tg_swizzle_through(const tg_cute *layout, const tg_swizzle *swizzle, tg_swizzle *out)
{
    int64_t read, changed;
    return tg_cute_map_beyond(layout, read_bits(swizzle), &read) &&
           tg_cute_map_beyond(layout, changed_bits(swizzle), &changed) &&
           swizzle_of(read, changed, out);
}

bool tg_swizzle_join(const tg_swizzle *first, const tg_swizzle *then, tg_swizzle *out)
{
    if (!first->bits || !then->bits) {
        *out = first->bits ? *first : *then;
        return true;
    }
    const int64_t read = read_bits(first) ^ read_bits(then);
    if (first->shift != then->shift) return false;
    *out = (tg_swizzle){0};
    return !read || swizzle_of(read, changed_bits(first) ^ changed_bits(then), out);
}
