/* The building blocks of the elementary functions: bits, selects, sums of two f64.
 *
 * A *form* of a function is a branch-free sequence of f64 add, sub, mul, div, sqrt, fma,
 * comparisons that select, and integer add, and, or, shift on the bits.  Nothing in it may be
 * contracted or reordered: the sequence defines the bits of the function, for every instruction set
 * and for the GPU backend. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTARY_DD_H
#define TG_INTERP_ELEMENTWISE_ELEMENTARY_DD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined __GNUC__
#define TG_FORM static inline __attribute__((always_inline, unused))
#else
#define TG_FORM static inline
#endif

#define tg_fma(a, b, c) __builtin_fma((a), (b), (c))
#define tg_fma_f32(a, b, c) __builtin_fmaf((a), (b), (c))
#define tg_sqrt(a) __builtin_sqrt(a)

#define TG_INF ((double)__builtin_inff())
#define TG_MAGIC 0x1.8p52 /* added and subtracted, it rounds |x| < 2^51 to an integer */
#define TG_SIGN UINT64_C(0x8000000000000000)
#define TG_SIGN_F32 UINT32_C(0x80000000)

TG_FORM uint64_t tg_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

TG_FORM double tg_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

TG_FORM double tg_abs(double x) { return tg_of_bits(tg_bits(x) & ~TG_SIGN); }

/* The magnitude of x with the sign of s. */
TG_FORM double tg_with_sign(double x, double s)
{
    return tg_of_bits((tg_bits(x) & ~TG_SIGN) | (tg_bits(s) & TG_SIGN));
}

/* The only NaN that forms return. */
TG_FORM double tg_nan(void) { return tg_of_bits(UINT64_C(0x7ff8000000000000)); }

/* first ? a : b by masks.  For the special cases at the end of a form: if a branch ends in a
 * constant, compilers continue the branch through the code behind the form, and then cannot
 * vectorise the loop. */
TG_FORM double tg_select(bool first, double a, double b)
{
    const uint64_t mask = 0 - (uint64_t)first;
    return tg_of_bits((tg_bits(a) & mask) | (tg_bits(b) & ~mask));
}

/* 2^n for -1022 <= n <= 1023, where n is in the low bits of `magic` = TG_MAGIC + n. */
TG_FORM double tg_power_of_two(double magic) { return tg_of_bits((tg_bits(magic) + 1023) << 52); }

/* x * 2^n for |n| <= 2044, rounded once.  n is an integral f64. */
TG_FORM double tg_scale(double x, double n)
{
    const double half = tg_fma(n, 0.5, TG_MAGIC), rest = n - (half - TG_MAGIC);
    return x * tg_power_of_two(half) * tg_power_of_two(rest + TG_MAGIC);
}

/* An unevaluated sum; |lo| is at most half an ulp of hi. */
typedef struct tg_dd {
    double hi, lo;
} tg_dd;

TG_FORM tg_dd tg_dd_make(double hi, double lo)
{
    const tg_dd r = {hi, lo};
    return r;
}

/* a + b exactly, for |a| >= |b| or a = 0. */
TG_FORM tg_dd tg_fast_sum(double a, double b)
{
    const double s = a + b;
    return tg_dd_make(s, b - (s - a));
}

/* a + b exactly. */
TG_FORM tg_dd tg_sum(double a, double b)
{
    const double s = a + b, t = s - a;
    return tg_dd_make(s, (a - (s - t)) + (b - t));
}

/* a * b exactly, unless it underflows. */
TG_FORM tg_dd tg_product(double a, double b)
{
    const double p = a * b;
    return tg_dd_make(p, tg_fma(a, b, -p));
}

TG_FORM tg_dd tg_dd_add(tg_dd a, tg_dd b)
{
    const tg_dd s = tg_sum(a.hi, b.hi), t = tg_sum(a.lo, b.lo);
    const tg_dd u = tg_fast_sum(s.hi, s.lo + t.hi);
    return tg_fast_sum(u.hi, u.lo + t.lo);
}

TG_FORM tg_dd tg_dd_add_f64(tg_dd a, double b)
{
    const tg_dd s = tg_sum(a.hi, b);
    return tg_fast_sum(s.hi, s.lo + a.lo);
}

TG_FORM tg_dd tg_dd_mul(tg_dd a, tg_dd b)
{
    const double p = a.hi * b.hi, e = tg_fma(a.hi, b.hi, -p);
    return tg_fast_sum(p, tg_fma(a.lo, b.hi, tg_fma(a.hi, b.lo, e)));
}

TG_FORM tg_dd tg_dd_mul_f64(tg_dd a, double b)
{
    const double p = a.hi * b, e = tg_fma(a.hi, b, -p);
    return tg_fast_sum(p, tg_fma(a.lo, b, e));
}

/* a / b with one division; relative error below 2^-100. */
TG_FORM tg_dd tg_dd_div(tg_dd a, tg_dd b)
{
    const double inverse = 1.0 / b.hi, q = a.hi * inverse;
    const double rest = (tg_fma(-q, b.hi, a.hi) + a.lo) - q * b.lo;
    return tg_fast_sum(q, rest * inverse);
}

/* The square root; 0 for 0. */
TG_FORM tg_dd tg_dd_sqrt(tg_dd a)
{
    const double s = tg_sqrt(a.hi), rest = tg_fma(-s, s, a.hi) + a.lo;
    return tg_dd_make(s, s == 0.0 ? 0.0 : rest / (s + s));
}

TG_FORM tg_dd tg_dd_select(bool first, tg_dd a, tg_dd b)
{
    return tg_dd_make(first ? a.hi : b.hi, first ? a.lo : b.lo);
}

/* a rounded to f64 by round-to-odd, so that rounding to f32 afterwards is rounding once.  A lo of
 * at most `noise` times hi is an error and is ignored, so that exact results stay exact. */
TG_FORM double tg_dd_to_odd(tg_dd a, double noise)
{
    const uint64_t bits = tg_bits(a.hi);
    const bool exact = tg_abs(a.lo) <= noise * tg_abs(a.hi);
    const bool outwards = (tg_bits(a.lo) >> 63) == (bits >> 63);
    const uint64_t down = outwards ? bits : bits - 1; /* the truncated sum */
    return tg_of_bits(exact ? bits : down | 1);
}

#endif
