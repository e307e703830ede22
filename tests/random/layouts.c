/* Layouts: references to elements in another order, values that say where they are held.
 *
 * No two elements of a reference are one, so that stores need no order. */
#include "random/maker.h"

#include <string.h>

enum { MOST_DIGITS = 8 };

/* The extents of a shape of `count` elements: small factors, in any order. */
static int take_factors(maker *g, int64_t count, int64_t *factor)
{
    static const int64_t primes[] = {2, 3, 5, 7};
    int factors = 0;
    for (int p = 0; p < 4; p++)
        for (; factors < MOST_DIGITS - 1 && count % primes[p] == 0; count /= primes[p])
            factor[factors++] = primes[p];
    factor[factors++] = count;
    for (int i = factors - 1; i > 0; i--) {
        const int j = (int)roll(g, (unsigned)i + 1);
        const int64_t swapped = factor[i];
        factor[i] = factor[j];
        factor[j] = swapped;
    }
    return factors;
}

/* Each digit has a weight of its own, so that sums of them are all numbers below the count, each once;
 * some count down. */
static void take_digits(maker *g, int64_t count, tg_axis axis, tg_axe *out)
{
    int64_t factor[MOST_DIGITS], weight[MOST_DIGITS] = {0}, product = 1;
    const int factors = take_factors(g, count, factor);
    for (int left = factors; left > 0; left--) {
        int pick = (int)roll(g, (unsigned)left), i = 0;
        while (weight[i] || pick-- > 0) i++;
        weight[i] = product;
        product *= factor[i];
    }
    for (int i = 0; i < factors; i++) {
        const bool is_down = roll(g, 4) == 0;
        tg_iters_put(&out->d, factor[i], is_down ? -weight[i] : weight[i], axis);
        if (is_down) out->offset[axis] += (factor[i] - 1) * weight[i];
    }
}

/* A swizzle that permutes the first `count` numbers, if there is one. */
static void take_swizzle(maker *g, int64_t count, tg_swizzle *out)
{
    const int bits = 1 + (int)roll(g, 2), base = (int)roll(g, 2);
    const int shift = bits + (int)roll(g, 2);
    if (count % (INT64_C(1) << (base + bits + shift)) != 0) return;
    *out = (tg_swizzle){bits, base, roll(g, 3) ? shift : -shift, TG_AXIS_m};
}

void make_view_layout(maker *g)
{
    if (g->ref_count >= 40) return;
    const made ref = g->refs[roll(g, (unsigned)g->ref_count)];
    const int64_t whole = tg_type_count(&ref.type);
    if (whole == 0) return;
    const int64_t count = roll(g, 2) ? whole : 1 + roll(g, (unsigned)whole);
    tg_axe layout;
    tg_axe_begin(&layout);
    take_digits(g, count, TG_AXIS_m, &layout);
    take_swizzle(g, count, &layout.swizzle);
    if (!layout.swizzle.bits) layout.offset[TG_AXIS_m] += roll(g, (unsigned)(whole - count + 1));
    const int64_t rows = layout.d.list[0].extent;
    use(g, ref);
    made view =
        give_ref(g, TG_OP_view_layout, type_of(ref.type.dtype, 2, (int64_t[]){rows, count / rows}));
    tg_build_place(&g->b, view.id, NULL, &layout);
    view.is_fixed = ref.is_fixed;
    view.is_copied = ref.is_copied;
    view.is_recast = true;
    g->refs[g->ref_count++] = view;
}

bool take_memory_layout(maker *g, int64_t count, tg_axe *out)
{
    if (!g->has_layouts || count == 0 || roll(g, 2)) return false;
    tg_axe_begin(out);
    take_digits(g, count, TG_AXIS_m, out);
    take_swizzle(g, count, &out->swizzle);
    if (out->swizzle.bits || roll(g, 2)) return true;
    for (int i = 0; i < out->d.count; i++) out->d.list[i].stride *= 3;
    out->offset[TG_AXIS_m] = 3 * out->offset[TG_AXIS_m] + roll(g, 7);
    return true;
}

void make_layout_cast(maker *g)
{
    const made value = any(g);
    const int64_t count = tg_type_count(&value.type);
    if (count == 0) return;
    tg_axe layout;
    tg_axe_begin(&layout);
    take_digits(g, count, TG_AXIS_reg, &layout);
    if (roll(g, 2)) tg_iters_put(&layout.r, 2 + roll(g, 3), 1 + roll(g, 5), TG_AXIS_lane);
    const made held = give1(g, TG_OP_layout_cast, value.type, value);
    tg_build_place(&g->b, held.id, NULL, &layout);
}
