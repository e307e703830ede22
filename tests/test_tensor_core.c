/* Products as tensor cores sum them: by hand, and random ones against exact integers. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/aligned_sum.h"
#include "base/float_bits.h"
#include "interp/blocks/tensor_core.h"
#include "interp/state/order.h"
#include "ir/bits.h"

enum { MOST = 64 };

/* One chain: `lead` * 1, then `count` - 1 links of a * b, after a sum of c. */
typedef struct one {
    tg_dtype factor, sum;
    float lead, a, b, c;
    int count;
    float sm90, sm100, exact;
} one;

static float chain_of(tg_tensor_core core, const one *o)
{
    float lhs[MOST], rhs[MOST], out = o->c;
    for (int i = 0; i < o->count; i++) {
        lhs[i] = i ? o->a : o->lead;
        rhs[i] = i ? o->b : 1;
    }
    const tg_dot_shape shape = {.b = 1, .m = 1, .n = 1, .k = o->count, .lhs_k = 1, .rhs_k = 1};
    if (core != TG_TENSOR_CORE_EXACT) {
        tg_tensor_core_add(core, o->factor, o->sum, &shape, lhs, rhs, &out);
        return out;
    }
    for (int i = 0; i < o->count; i++) out = fmaf(lhs[i], rhs[i], out);
    return out;
}

Test(tensor_core, by_hand)
{
    const tg_dtype f16 = TG_DT_f16, f32 = TG_DT_f32, e4 = TG_DT_f8e4m3fn, e5 = TG_DT_f8e5m2;
    const one ones[] = {
        /* 8 terms of 2^-25 are kept and added; each alone is less than half a step of 1 */
        {f16, f32, 1, 0x1p-12f, 0x1p-13f, 0, 9, 1 + 0x1p-22f, 1 + 0x1p-22f, 1},
        /* terms of 2^-26 are cut off */
        {f16, f32, 1, 0x1p-13f, 0x1p-13f, 0, 16, 1, 1, 1},
        /* the sum is cut toward zero, not rounded to nearest */
        {f16, f32, 1, -0x1p-12f, 0x1p-13f, 0, 2, 1 - 0x1p-24f, 1 - 0x1p-24f, 1},
        /* of 17 links the last is an instruction of its own: what it adds is cut off. */
        {f16, f32, 1, 0x1p-12f, 0x1p-13f, 0, 17, 1 + 0x1.8p-22f, 1 + 0x1.8p-22f, 1},
        /* the sum before is one more term: it cuts off the products, which are cut off one by one */
        {f16, f32, 0x1p-13f, 0x1p-13f, 1, 0x1p13f, 16, 0x1p13f, 0x1p13f, 0x1p13f},
        /* f16 sums are rounded to nearest, by each instruction */
        {f16, f16, 1, 0x1p-11f, 1, 0, 2, 1, 1, 1 + 0x1p-11f},
        {f16, f16, 1, 0x1p-11f, 1, 0, 4, 1 + 0x1p-9f, 1 + 0x1p-9f, 1 + 0x1.8p-10f},
        /* ... once, from a sum that is not cut to f32 before (an H200 does so) */
        {f16, f16, 1 + 0x1p-11f, 0x1p-12f, 0x1p-13f, 0, 2, 1 + 0x1p-10f, 1 + 0x1p-10f,
         1 + 0x1p-11f},
        /* tf32: the factors lose 13 bits */
        {f32, f32, 1 + 0x1p-13f, 0, 0, 0, 1, 1, 1, 1 + 0x1p-13f},
        {f32, f32, 1 + 0x1p-10f, 0, 0, 0, 1, 1 + 0x1p-10f, 1 + 0x1p-10f, 1 + 0x1p-10f},
        /* fp8 on sm_90: 13 bits */
        {e4, f32, 1, 0x1p-7f, 0x1p-7f, 0, 32, 1, 1 + 31 * 0x1p-14f, 1 + 31 * 0x1p-14f},
        {e5, f32, 1, 0x1p-7f, 0x1p-6f, 0, 32, 1 + 31 * 0x1p-13f, 1 + 31 * 0x1p-13f,
         1 + 31 * 0x1p-13f},
        /* ... and so is the sum, which has a greater leading bit than each term */
        {e4, f32, 1, 1, 1, 0x1p-13f, 32, 32, 32 + 0x1p-13f, 32 + 0x1p-13f},
        /* ... and so is what stood there before */
        {e4, f32, 0, 0, 0, 1 + 0x1p-20f, 1, 1, 1 + 0x1p-20f, 1 + 0x1p-20f},
    };
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
        const float sm90 = chain_of(TG_TENSOR_CORE_SM90, &ones[i]),
                    sm100 = chain_of(TG_TENSOR_CORE_SM100, &ones[i]),
                    exact = chain_of(TG_TENSOR_CORE_EXACT, &ones[i]);
        cr_expect_eq(sm90, ones[i].sm90, "%zu: sm90 %a", i, (double)sm90);
        cr_expect_eq(sm100, ones[i].sm100, "%zu: sm100 %a", i, (double)sm100);
        cr_expect_eq(exact, ones[i].exact, "%zu: exact %a", i, (double)exact);
    }
}

/* The same by integers alone: factors are 11-bit significands and exponents. */
typedef struct number {
    int64_t significand;
    int exponent; /* of its last bit */
} number;

static number random_number(uint64_t seed)
{
    const uint64_t any = tg_random(seed, 0);
    const int64_t significand = (int64_t)(any % 2048) * (any >> 20 & 1 ? 1 : -1);
    return (number){significand, (int)(any >> 32 & 7) - 12};
}

static float value_of(number n) { return ldexpf((float)n.significand, n.exponent); }

static int leading_bit(number n)
{
    int bit = -1;
    for (uint64_t rest = (uint64_t)llabs(n.significand); rest; rest >>= 1) bit++;
    return bit + n.exponent;
}

/* The number in steps of 2^last, truncated toward zero. */
static int64_t in_steps(number n, int last)
{
    const int shift = n.exponent - last;
    if (shift >= 0) return n.significand * ((int64_t)1 << shift);
    return -shift > 62 ? 0 : n.significand / ((int64_t)1 << -shift);
}

static double sum_by_integers(int bits, int k, const number *a, const number *b, number c)
{
    int top = c.significand ? leading_bit(c) : -1000;
    for (int i = 0; i < k; i++)
        if (a[i].significand && b[i].significand && leading_bit(a[i]) + leading_bit(b[i]) > top)
            top = leading_bit(a[i]) + leading_bit(b[i]);
    if (top == -1000) return 0;
    int64_t sum = in_steps(c, top - bits);
    for (int i = 0; i < k; i++)
        sum +=
            in_steps((number){a[i].significand * b[i].significand, a[i].exponent + b[i].exponent},
                     top - bits);
    int exponent = top - bits;
    while (llabs(sum) >> 24) { /* cuts the last bit off */
        sum /= 2;
        exponent++;
    }
    return ldexp((double)sum, exponent);
}

Test(tensor_core, random_sums_are_those_of_integers)
{
    const int widths[] = {13, 24, 25, 35};
    int lost = 0;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        number a[16], b[16];
        float left[16], right[16];
        const int k = 1 + (int)(tg_random(seed, 1) % 16);
        for (int i = 0; i < k; i++) {
            left[i] = value_of(a[i] = random_number(seed * 64 + (uint64_t)i));
            right[i] = value_of(b[i] = random_number(seed * 64 + 16 + (uint64_t)i));
        }
        const number c = random_number(seed * 64 + 32);
        double exact = (double)value_of(c);
        for (int i = 0; i < k; i++) exact += (double)left[i] * (double)right[i];
        for (int w = 0; w < 4; w++) {
            const float sum = tg_aligned_sum(widths[w], (size_t)k, left, right, value_of(c));
            cr_assert_eq((double)sum, sum_by_integers(widths[w], k, a, b, c), "seed %d, %d bits",
                         (int)seed, widths[w]);
            lost += (double)sum != exact;
        }
    }
    cr_expect_gt(lost, 10000, "%d sums are not exact", lost);
}

Test(tensor_core, nan_and_infinity)
{
    const float huge[2] = {INFINITY, 1}, minus[2] = {1, -INFINITY}, ones[2] = {1, 1};
    cr_expect_eq(bits_of_f32(tg_aligned_sum(25, 2, huge, minus, 0)), 0x7fffffff);
    cr_expect_eq(tg_aligned_sum(25, 2, huge, ones, 7), INFINITY);
    cr_expect_eq(tg_aligned_sum(25, 2, ones, ones, -INFINITY), -INFINITY);
    const one fp8 = {TG_DT_f8e5m2, TG_DT_f32, INFINITY, 1, 1, 0, 3, 0, 0, 0};
    cr_expect_eq(chain_of(TG_TENSOR_CORE_SM90, &fp8), INFINITY);
}

Test(tensor_core, which_products)
{
    const tg_dtype halves[] = {TG_DT_f16, TG_DT_bf16};
    for (int core = TG_TENSOR_CORE_SM90; core < TG_TENSOR_CORE_COUNT; core++) {
        const tg_tensor_core c = (tg_tensor_core)core;
        for (int i = 0; i < 2; i++) cr_expect(tg_tensor_core_has(c, halves[i], halves[i], false));
        cr_expect(tg_tensor_core_has(c, TG_DT_f8e4m3fn, TG_DT_f8e5m2, false));
        cr_expect(tg_tensor_core_has(c, TG_DT_f32, TG_DT_f32, true));
        cr_expect_not(tg_tensor_core_has(c, TG_DT_f32, TG_DT_f32, false));
        cr_expect_not(tg_tensor_core_has(c, TG_DT_f16, TG_DT_bf16, true));
        cr_expect_not(tg_tensor_core_has(c, TG_DT_f64, TG_DT_f64, true));
        cr_expect_not(tg_tensor_core_has(c, TG_DT_i8, TG_DT_i8, true));
        cr_expect_not(tg_tensor_core_has(c, TG_DT_f8e4m3fnuz, TG_DT_f8e4m3fnuz, true));
    }
    cr_expect_not(tg_tensor_core_has(TG_TENSOR_CORE_EXACT, TG_DT_f16, TG_DT_f16, true));
}
