/* A form (elementary_dd.h) of pow: e^(y log|x|) with sums of two f64 throughout.
 *
 * log|x| has a relative error of about 2^-75, e^r one of about 2^-70, so that f32 results are wrong
 * only if the exact value lies within about 2^-66 of its size from a rounding boundary and is not
 * on it. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTARY_POW_H
#define TG_INTERP_ELEMENTWISE_ELEMENTARY_POW_H

#include "interp/elementwise/elementary_exp.h"
#include "interp/elementwise/elementary_log.h"

/* log(x) for finite x > 0. */
TG_FORM tg_dd tg_log_dd(double x)
{
    const tg_log_parts p = tg_log_split(x);
    const tg_dd s = tg_dd_div(p.f, tg_fast_sum(2.0, p.f.hi));
    const tg_dd z = tg_dd_mul(s, s);
    tg_dd sum = tg_dd_add(tg_dd_make(TG_ONE_OVER_7_0, TG_ONE_OVER_7_1),
                          tg_product(z.hi, tg_poly_log4(z.hi)));
    sum = tg_dd_add(tg_dd_make(TG_ONE_OVER_5_0, TG_ONE_OVER_5_1), tg_dd_mul(sum, z));
    sum = tg_dd_add(tg_dd_make(TG_ONE_OVER_3_0, TG_ONE_OVER_3_1), tg_dd_mul(sum, z));
    sum = tg_dd_add(s, tg_dd_mul(tg_dd_mul(sum, z), s));
    const tg_dd scale =
        tg_dd_add(tg_dd_make(p.n * TG_LN2_0, 0.0),
                  tg_dd_add(tg_dd_make(p.n * TG_LN2_1, 0.0), tg_dd_make(p.n * TG_LN2_2, 0.0)));
    return tg_dd_add(scale, tg_dd_make(2.0 * sum.hi, 2.0 * sum.lo));
}

/* e^r for |r| <= ln(2)/2. */
TG_FORM tg_dd tg_exp_dd(tg_dd r)
{
    tg_dd sum = tg_dd_add(tg_dd_make(TG_ONE_OVER_120_0, TG_ONE_OVER_120_1),
                          tg_product(r.hi, tg_poly_exp6(r.hi)));
    sum = tg_dd_add(tg_dd_make(TG_ONE_OVER_24_0, TG_ONE_OVER_24_1), tg_dd_mul(sum, r));
    sum = tg_dd_add(tg_dd_make(TG_ONE_OVER_6_0, TG_ONE_OVER_6_1), tg_dd_mul(sum, r));
    sum = tg_dd_add_f64(tg_dd_mul(sum, r), 0.5);
    sum = tg_dd_add(r, tg_dd_mul(tg_dd_mul(sum, r), r));
    return tg_dd_add_f64(sum, 1.0);
}

/* All bits set, or none. */
TG_FORM uint64_t tg_mask(bool set) { return 0 - (uint64_t)set; }

TG_FORM uint64_t tg_integer_mask(double y)
{
    const double a = tg_abs(y), shifted = a + 0x1p52;
    return tg_mask(a >= 0x1p52) | tg_mask(shifted - 0x1p52 == a);
}

/* The sign bit for an odd integer, else 0. */
TG_FORM uint64_t tg_odd_sign(double y)
{
    const double a = tg_abs(y);
    const double unit_is_last_bit = tg_select(a < 0x1p52, a + 0x1p52, a);
    return tg_integer_mask(y) & tg_mask(a < 0x1p53) & tg_bits(unit_is_last_bit) << 63;
}

/* |x|^y = 2^n (power.hi + power.lo) for finite x, y other than 0; n within [-1080, 1030]. */
typedef struct tg_power {
    double n;
    tg_dd value;
} tg_power;

TG_FORM tg_power tg_power_of(double a, double y)
{
    const tg_dd l = tg_log_dd(a);
    const double product = l.hi * y;
    const bool over = product > 712.0, under = product < -748.0;
    const double kept = tg_select(over | under, 0.0, y); /* nothing below can overflow */
    const tg_dd t = tg_dd_mul_f64(l, kept);
    const tg_dd bounded = tg_dd_make(tg_select(over, 712.0, tg_select(under, -748.0, t.hi)), t.lo);
    const double n = tg_fma(bounded.hi, TG_LOG2E_0, TG_MAGIC) - TG_MAGIC;
    const tg_dd high = tg_dd_add_f64(bounded, -(n * TG_LN2_0));
    const tg_dd r = tg_dd_add(high, tg_sum(-(n * TG_LN2_1), -(n * TG_LN2_2)));
    const tg_power power = {n, tg_exp_dd(r)};
    return power;
}

/* x^y with the special cases and the signs of C99 Annex F; `ordinary` is its magnitude for ordinary
 * operands. */
TG_FORM double tg_pow_special(double x, double y, double ordinary)
{
    const double a = tg_abs(x), b = tg_abs(y);
    const double up = tg_select(y > 0.0, a, 1.0 / a) > 1.0 ? TG_INF : 0.0;
    const double at_zero = tg_select(a == 0.0, up, ordinary);
    const double at_infinity = tg_select(a == TG_INF, up, at_zero);
    const double magnitude = tg_select(b == TG_INF, up, at_infinity);
    const double unsigned_one = tg_select(a == 1.0, 1.0, magnitude);
    const double r = tg_of_bits(tg_bits(unsigned_one) | (tg_bits(x) & tg_odd_sign(y)));
    const uint64_t undefined = tg_mask(x < 0.0) & tg_mask(a < TG_INF) & ~tg_integer_mask(y);
    const uint64_t unknown = undefined | tg_mask(x != x) | tg_mask(y != y);
    const double defined = tg_of_bits((tg_bits(r) & ~unknown) | (tg_bits(tg_nan()) & unknown));
    return tg_select(y == 0.0, 1.0, tg_select(x == 1.0, 1.0, defined));
}

/* x| if it is finite and not 0, else a replacement whose logarithm does no harm. */
TG_FORM double tg_pow_base(double x)
{
    const double a = tg_abs(x);
    return tg_select((a > 0.0) & (a < TG_INF), a, 2.0);
}

TG_FORM double tg_pow_exponent(double y)
{
    const double finite = tg_select(tg_abs(y) < TG_INF, y, 1.0);
    return tg_select(tg_abs(finite) < 0x1p-200, 0x1p-200, finite);
}

TG_FORM double tg_pow_form(double x, double y)
{
    const tg_power p = tg_power_of(tg_pow_base(x), tg_pow_exponent(y));
    return tg_pow_special(x, y, tg_scale(p.value.hi + p.value.lo, p.n));
}

/* For f32 operands: rounded to odd, so that rounding to f32 is rounding once.  Below f32's least
 * number there is only a half of it or less: clamping n keeps the rounding to odd meaningful. */
TG_FORM double tg_pow_odd(double x, double y)
{
    const tg_power p = tg_power_of(tg_pow_base(x), tg_pow_exponent(y));
    const double n = p.n < -1000.0 ? -1000.0 : p.n;
    return tg_pow_special(x, y, tg_scale(tg_dd_to_odd(p.value, 0x1p-66), n));
}

#endif
