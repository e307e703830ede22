/* Forms (elementary_dd.h) of sin, cos and tan.
 *
 * x = n pi/2 + r with |r| <= pi/4, r a sum of two f64.  Below TG_TRIG_LARGE a few fmas find n and
 * r; from there on the bits of 2/pi that matter are multiplied in integers (Payne and Hanek), one
 * element at a time. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTARY_TRIG_H
#define TG_INTERP_ELEMENTWISE_ELEMENTARY_TRIG_H

#include "interp/elementwise/elementary_coefficients.h"

#define TG_TRIG_LARGE 0x1p22

typedef struct tg_angle {
    uint64_t quadrant; /* n; only the two lowest bits count */
    tg_dd r;
} tg_angle;

/* For |x| < TG_TRIG_LARGE; for others the angle is not valid, but nothing traps. */
TG_FORM tg_angle tg_angle_reduce(double x)
{
    const double magic = tg_fma(x, TG_TWO_OVER_PI_0, TG_MAGIC), n = magic - TG_MAGIC;
    const double first = tg_fma(n, -TG_HALF_PI_0, x); /* exact: both have the same high bits */
    const tg_dd second = tg_product(n, TG_HALF_PI_1);
    const tg_dd s = tg_sum(first, -second.hi);
    const double low = s.lo - tg_fma(n, TG_HALF_PI_2, second.lo);
    const tg_angle angle = {tg_bits(magic), tg_fast_sum(s.hi, low)};
    return angle;
}

__extension__ typedef unsigned __int128 tg_u128;

/* The 64 bits of 2/pi from `at` bits below the point on; at negative positions there are zeros. */
static inline uint64_t tg_two_over_pi_at(int at)
{
    if (at <= -64) return 0;
    if (at < 0) return tg_two_over_pi_bits[0] >> -at;
    const unsigned word = (unsigned)at / 64, shift = (unsigned)at % 64;
    const uint64_t high = tg_two_over_pi_bits[word] << shift;
    return shift == 0 ? high : high | tg_two_over_pi_bits[word + 1] >> (64 - shift);
}

/* For finite |x| >= 2: |x| = m 2^e, and m 2^e 2/pi mod 4 needs the bits of 2/pi from 2^(1 - e)
 * down. */
static inline tg_angle tg_angle_reduce_large(double x)
{
    const uint64_t bits = tg_bits(x);
    const int e = (int)(bits >> 52 & 0x7ff) - 1075;
    const uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    /* product = m * (192 bits of 2/pi) modulo 2^192: two bits before the point, 190 after it */
    const uint64_t w2 = tg_two_over_pi_at(e - 2), w1 = tg_two_over_pi_at(e + 62);
    const uint64_t w0 = tg_two_over_pi_at(e + 126);
    const tg_u128 p0 = (tg_u128)m * w0, p1 = (tg_u128)m * w1 + (p0 >> 64);
    const uint64_t top = m * w2 + (uint64_t)(p1 >> 64), middle = (uint64_t)p1,
                   bottom = (uint64_t)p0;
    /* the nearest integer, and the signed distance from it as 190 bits after the point */
    const uint64_t quadrant = (top >> 62) + (top >> 61 & 1);
    const bool above = top >> 61 & 1; /* the integer is above the number */
    const uint64_t flip = above ? ~UINT64_C(0) : 0;
    const uint64_t f2 = ((top << 2 | middle >> 62) ^ flip),
                   f1 = ((middle << 2 | bottom >> 62) ^ flip);
    const uint64_t f0 = (bottom << 2) ^ flip;
    /* normalise so that the leading one is on top; worst cases cancel about 62 bits */
    const int zeros = f2 != 0 ? __builtin_clzll(f2) : 64 + (f1 != 0 ? __builtin_clzll(f1) : 63);
    const uint64_t a = zeros < 64 ? f2 : f1, b = zeros < 64 ? f1 : f0, c = zeros < 64 ? f0 : 0;
    const int shift = zeros & 63;
    const uint64_t high = shift == 0 ? a : a << shift | b >> (64 - shift);
    const uint64_t low = shift == 0 ? b : b << shift | c >> (64 - shift);
    const double unit = tg_of_bits((uint64_t)(1023 - 64 - zeros) << 52);
    const double d1 = (double)(high >> 11), d0 = (double)((high << 53 | low >> 11) >> 11);
    const tg_dd fraction = tg_fast_sum(d1 * 0x1p11 * unit, d0 * 0x1p-42 * unit);
    const tg_dd r = tg_dd_mul(fraction, tg_dd_make(TG_HALF_PI_0, TG_HALF_PI_1));
    const bool negative = bits >> 63;
    const bool minus = above != negative;
    const tg_angle angle = {negative ? 0 - quadrant : quadrant,
                            {minus ? -r.hi : r.hi, minus ? -r.lo : r.lo}};
    return angle;
}

static inline tg_angle tg_angle_reduce_any(double x)
{
    const double a = tg_abs(x);
    const tg_angle undefined = {0, {tg_nan(), 0.0}};
    if (a < TG_TRIG_LARGE) return tg_angle_reduce(x);
    return a < TG_INF ? tg_angle_reduce_large(x) : undefined;
}

/* sin(r) for |r| <= pi/4. */
TG_FORM tg_dd tg_sin_kernel(tg_dd r)
{
    const double z = r.hi * r.hi;
    const double tail = tg_fma(r.hi * z, tg_poly_sin(z), tg_fma(-0.5 * z, r.lo, r.lo));
    return tg_fast_sum(r.hi, tail);
}

/* cos(r) for |r| <= pi/4. */
TG_FORM tg_dd tg_cos_kernel(tg_dd r)
{
    const tg_dd z = tg_product(r.hi, r.hi);
    const tg_dd head = tg_fast_sum(1.0, -0.5 * z.hi);
    const double low = tg_fma(-0.5, z.lo, head.lo) - r.hi * r.lo;
    return tg_fast_sum(head.hi, tg_fma(z.hi * z.hi, tg_poly_cos(z.hi), low));
}

/* The sine of the angle and `turn` quarter turns more. */
TG_FORM double tg_sin_of_angle(tg_angle a, uint64_t turn)
{
    const tg_dd s = tg_sin_kernel(a.r), c = tg_cos_kernel(a.r);
    const uint64_t q = a.quadrant + turn;
    const double r = (q & 1) != 0 ? c.hi + c.lo : s.hi + s.lo;
    return tg_of_bits(tg_bits(r) ^ (q >> 1 & 1) << 63);
}

TG_FORM double tg_tan_of_angle(tg_angle a)
{
    const tg_dd s = tg_sin_kernel(a.r), c = tg_cos_kernel(a.r);
    const bool odd = (a.quadrant & 1) != 0;
    const tg_dd q = tg_dd_div(tg_dd_select(odd, c, s), tg_dd_select(odd, s, c));
    const double r = q.hi + q.lo;
    return odd ? -r : r;
}

TG_FORM double tg_sin_form(double x)
{
    const double r = tg_sin_of_angle(tg_angle_reduce(x), 0);
    return tg_abs(x) < 0x1p-27 ? x : r;
}

TG_FORM double tg_cos_form(double x) { return tg_sin_of_angle(tg_angle_reduce(x), 1); }

TG_FORM double tg_tan_form(double x)
{
    const double r = tg_tan_of_angle(tg_angle_reduce(x));
    return tg_abs(x) < 0x1p-27 ? x : r;
}

static inline double tg_sin_any(double x)
{
    return tg_abs(x) < TG_TRIG_LARGE ? tg_sin_form(x) : tg_sin_of_angle(tg_angle_reduce_any(x), 0);
}

static inline double tg_cos_any(double x)
{
    return tg_abs(x) < TG_TRIG_LARGE ? tg_cos_form(x) : tg_sin_of_angle(tg_angle_reduce_any(x), 1);
}

static inline double tg_tan_any(double x)
{
    return tg_abs(x) < TG_TRIG_LARGE ? tg_tan_form(x) : tg_tan_of_angle(tg_angle_reduce_any(x));
}

#endif
