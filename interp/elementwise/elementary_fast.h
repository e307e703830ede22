/* exp and exp2 of profile `fast`, in f32 throughout: e^x = 2^n e^r with |r| <= ln(2)/2, and e^r by
 * a polynomial.  Within 1 ULP, see docs/numerics-fast.md. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTARY_FAST_H
#define TG_INTERP_ELEMENTWISE_ELEMENTARY_FAST_H

#include "base/float_bits.h"
#include "interp/elementwise/elementary_coefficients.h"

#define TG_MAGIC_F32 0x1.8p23F /* added and subtracted, it rounds |x| < 2^22 to an integer */

/* 2^n e^r = `value` 2^n, where n is in the low bits of `magic` = TG_MAGIC_F32 + n. */
typedef struct tg_exp_fast_parts {
    float value, magic;
} tg_exp_fast_parts;

TG_FORM tg_exp_fast_parts tg_exp_fast_of(float r, float magic)
{
    const float once = tg_fma_f32(r, tg_poly_exp_fast(r), 1.0F);
    const tg_exp_fast_parts parts = {tg_fma_f32(r, once, 1.0F), magic};
    return parts;
}

TG_FORM tg_exp_fast_parts tg_exp_fast_split(float x)
{
    const float magic = tg_fma_f32(x, TG_LOG2EF_0, TG_MAGIC_F32), n = magic - TG_MAGIC_F32;
    return tg_exp_fast_of(tg_fma_f32(n, -TG_LN2F_1, tg_fma_f32(n, -TG_LN2F_0, x)), magic);
}

TG_FORM tg_exp_fast_parts tg_exp2_fast_split(float x)
{
    const float magic = x + TG_MAGIC_F32, n = magic - TG_MAGIC_F32;
    return tg_exp_fast_of((x - n) * TG_LN2F, magic);
}

/* If 2^n e^r is normal: adds n to the exponent of e^r. */
TG_FORM float tg_exp_fast_normal(tg_exp_fast_parts p)
{
    return f32_of_bits(bits_of_f32(p.value) + (bits_of_f32(p.magic) << 23));
}

/* For |n| < 252: multiplies by two powers of two, of which only the second product is rounded. */
TG_FORM float tg_exp_fast_scaled(tg_exp_fast_parts p)
{
    const int32_t n = (int32_t)(bits_of_f32(p.magic) - bits_of_f32(TG_MAGIC_F32)), half = n / 2;
    const float first = f32_of_bits((uint32_t)(half + 127) << 23),
                second = f32_of_bits((uint32_t)(n - half + 127) << 23);
    return p.value * first * second;
}

TG_FORM float tg_clamp_f32(float x, float low, float high)
{
    const float raised = x < low ? low : x;
    return raised > high ? high : raised;
}

/* Operands below the range give 0, those above it infinity; a NaN stays a NaN. */
TG_FORM float tg_exp_fast_any(float x)
{
    return tg_exp_fast_scaled(tg_exp_fast_split(tg_clamp_f32(x, -105.0F, 89.0F)));
}

TG_FORM float tg_exp2_fast_any(float x)
{
    return tg_exp_fast_scaled(tg_exp2_fast_split(tg_clamp_f32(x, -152.0F, 129.0F)));
}

/* For operands whose results are normal: |x| at most ... */
#define TG_EXP_FAST_MOST 87.0F
#define TG_EXP2_FAST_MOST 125.0F

TG_FORM float tg_exp_fast_small(float x) { return tg_exp_fast_normal(tg_exp_fast_split(x)); }

TG_FORM float tg_exp2_fast_small(float x) { return tg_exp_fast_normal(tg_exp2_fast_split(x)); }

#endif
