/* Forms (elementary_dd.h) of exp, exp2, expm1, logistic, sinh, cosh and tanh.
 *
 * e^x = 2^n e^r with |r| <= ln(2)/2, and e^r = 1 + r + r^2 q(r), where r is a sum of two f64. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTARY_EXP_H
#define TG_INTERP_ELEMENTWISE_ELEMENTARY_EXP_H

#include "base/float_bits.h"
#include "interp/elementwise/elementary_coefficients.h"

/* x = n ln(2) + r.hi + r.lo, n an integer. */
typedef struct tg_exp_parts {
    double n;
    tg_dd r;
} tg_exp_parts;

/* For |x| < 2^11. */
TG_FORM tg_exp_parts tg_exp_reduce(double x)
{
    const double n = tg_fma(x, TG_LOG2E_0, TG_MAGIC) - TG_MAGIC;
    const double high = tg_fma(n, -TG_LN2_0, x), low = n * (TG_LN2_1 + TG_LN2_2);
    const double r = high - low;
    const tg_exp_parts parts = {n, {r, (high - r) - low}};
    return parts;
}

/* e^r - 1, within about 2^-58 of its size. */
TG_FORM tg_dd tg_expm1_of_parts(tg_dd r)
{
    const tg_dd square = tg_product(0.5 * r.hi, r.hi);
    const tg_dd head = tg_fast_sum(r.hi, square.hi);
    const double low = head.lo + (square.lo + tg_fma(r.hi, r.lo, r.lo));
    return tg_fast_sum(head.hi, tg_fma(r.hi * square.hi, tg_poly_expm1(r.hi), low));
}

/* e^r. */
TG_FORM tg_dd tg_exp_of_parts(tg_dd r)
{
    const tg_dd s = tg_fast_sum(1.0, r.hi);
    const double low = s.lo + tg_fma(r.hi, r.lo, r.lo);
    return tg_dd_make(s.hi, tg_fma(r.hi * r.hi, tg_poly_exp(r.hi), low));
}

TG_FORM double tg_clamp(double x, double low, double high)
{
    const double raised = x < low ? low : x;
    return raised > high ? high : raised;
}

TG_FORM double tg_exp_form(double x)
{
    const tg_exp_parts p = tg_exp_reduce(tg_clamp(x, -746.0, 710.0));
    const tg_dd e = tg_exp_of_parts(p.r);
    return tg_scale(e.hi + e.lo, p.n);
}

TG_FORM double tg_exp2_form(double x)
{
    const double c = tg_clamp(x, -1076.0, 1025.0);
    const double n = (c + TG_MAGIC) - TG_MAGIC;
    const tg_dd r = tg_dd_mul_f64(tg_dd_make(TG_LN2D_0, TG_LN2D_1), c - n);
    const tg_dd e = tg_exp_of_parts(r);
    return tg_scale(e.hi + e.lo, n);
}

/* For f32: r as one f64, and a range in which 2^n is an f64.  TG_MAGIC and f64's bias in one: the
 * low bits of what is rounded by adding this are the exponent bits of 2^n. */
#define TG_MAGIC_BIASED (TG_MAGIC + 1023.0)

/* x, which is an f32, clamped to [-most, most]; a NaN becomes one of these two, by its sign.  Works
 * on the bits, so that compilers do it before they widen lanes. */
TG_FORM double tg_clamp_narrow(double x, float most)
{
    const uint32_t bits = bits_of_f32((float)x), size = bits & ~TG_SIGN_F32,
                   end = bits_of_f32(most);
    return (double)f32_of_bits((size < end ? size : end) | (bits & TG_SIGN_F32));
}

/* 2^n e^r, where n is in the low bits of `magic` = TG_MAGIC_BIASED + n. */
TG_FORM double tg_exp_narrow_of(double r, double magic)
{
    const double e = 1.0 + tg_fma(r * r, tg_poly_exp_short(r), r);
    return e * tg_of_bits(tg_bits(magic) << 52);
}

TG_FORM double tg_exp_narrow(double x)
{
    const double c = tg_clamp_narrow(x, 160.0F);
    const double magic = tg_fma(c, TG_LOG2E_0, TG_MAGIC_BIASED), n = magic - TG_MAGIC_BIASED;
    return tg_exp_narrow_of(tg_fma(n, -(TG_LN2_1 + TG_LN2_2), tg_fma(n, -TG_LN2_0, c)), magic);
}

TG_FORM double tg_exp2_narrow(double x)
{
    const double c = tg_clamp_narrow(x, 200.0F);
    const double magic = c + TG_MAGIC_BIASED, n = magic - TG_MAGIC_BIASED;
    return tg_exp_narrow_of((c - n) * TG_LN2D_0, magic);
}

/* (e^x - 1) / 4 for |x| <= 710.6; the quarter keeps it finite. */
TG_FORM tg_dd tg_expm1_quarter(double x)
{
    const tg_exp_parts p = tg_exp_reduce(x);
    const tg_dd m = tg_expm1_of_parts(p.r);
    const double scale = tg_power_of_two(p.n + (TG_MAGIC - 2.0));
    const tg_dd less = tg_sum(scale, -0.25), s = tg_sum(less.hi, scale * m.hi);
    return tg_fast_sum(s.hi, tg_fma(scale, m.lo, s.lo + less.lo));
}

TG_FORM double tg_expm1_form(double x)
{
    const tg_dd m = tg_expm1_quarter(tg_clamp(x, -60.0, 710.0));
    const double r = 4.0 * (m.hi + m.lo);
    return tg_abs(x) < 0x1p-54 ? x : r;
}

/* With e = e^-|x|: 1 / (1 + e), or for negative x e / (1 + e), whose factor 2^n is applied last. */
typedef struct tg_logistic_parts {
    double n;
    tg_dd value;
} tg_logistic_parts;

TG_FORM tg_logistic_parts tg_logistic_split(double x)
{
    const tg_exp_parts p = tg_exp_reduce(-tg_clamp(tg_abs(x), 0.0, 746.0));
    const tg_dd e = tg_exp_of_parts(p.r);
    const double clamped = p.n < -1000.0 ? -1000.0 : p.n;
    const double scale = tg_power_of_two(clamped + TG_MAGIC);
    const tg_dd below = tg_dd_add_f64(tg_dd_make(scale * e.hi, scale * e.lo), 1.0);
    const bool negative = tg_bits(x) >> 63;
    const tg_logistic_parts parts = {
        negative ? p.n : 0.0,
        tg_dd_div(tg_dd_select(negative, e, tg_dd_make(1.0, 0.0)), below),
    };
    return parts;
}

TG_FORM double tg_logistic_form(double x)
{
    const tg_logistic_parts p = tg_logistic_split(x);
    return tg_scale(p.value.hi + p.value.lo, p.n);
}

/* For f32: rounded to odd.  Near 0 it is 1/2 + x/4 - x^3/48, often a tie but for a cube below
 * f64's last bit. */
TG_FORM double tg_logistic_odd(double x)
{
    const tg_logistic_parts p = tg_logistic_split(x);
    return tg_scale(tg_dd_to_odd(p.value, 0.0), p.n < -1000.0 ? -1000.0 : p.n);
}

/* m / (m + 2) with m = e^2|x| - 1. */
TG_FORM double tg_tanh_form(double x)
{
    const double a = tg_abs(x);
    const tg_dd m = tg_expm1_quarter(2.0 * tg_clamp(a, 0.0, 24.0));
    const tg_dd q = tg_dd_div(m, tg_dd_add_f64(m, 0.5));
    return tg_with_sign(a < 0x1p-54 ? a : q.hi + q.lo, x);
}

/* (m + m / (m + 1)) / 2 with m = e^|x| - 1. */
TG_FORM double tg_sinh_form(double x)
{
    const double a = tg_abs(x);
    const tg_dd m = tg_expm1_quarter(tg_clamp(a, 0.0, 710.6));
    const tg_dd below = tg_dd_add_f64(m, 0.25);
    const double part = 0.25 * (m.hi / below.hi);
    const tg_dd s = tg_sum(m.hi, part);
    const double low = tg_fma(-part, below.hi, 0.25 * m.hi) + tg_fma(-part, below.lo, 0.25 * m.lo);
    const double r = 2.0 * (s.hi + (s.lo + (m.lo + low / below.hi)));
    return tg_with_sign(a < 0x1p-54 ? a : r, x);
}

/* (e + 1 / e) / 2 with e = e^|x|. */
TG_FORM double tg_cosh_form(double x)
{
    const tg_exp_parts p = tg_exp_reduce(tg_clamp(tg_abs(x), 0.0, 710.6));
    const tg_dd e = tg_exp_of_parts(p.r);
    const double scale = tg_power_of_two(p.n + (TG_MAGIC - 2.0));
    const tg_dd quarter = tg_fast_sum(scale * e.hi, scale * e.lo);
    const tg_dd inverse = tg_dd_div(tg_dd_make(0.0625, 0.0), quarter);
    const tg_dd s = tg_fast_sum(quarter.hi, inverse.hi);
    return 2.0 * (s.hi + (s.lo + (quarter.lo + inverse.lo)));
}

#endif
