/* Forms (elementary_dd.h) of log, log2, log1p, asinh, acosh and atanh.
 *
 * x = 2^n m with m in [sqrt(1/2), sqrt(2)), and log m = 2 atanh(s) with s = (m - 1) / (m + 1). */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTARY_LOG_H
#define TG_INTERP_ELEMENTWISE_ELEMENTARY_LOG_H

#include "interp/elementwise/elementary_coefficients.h"

/* The number is 2^n (1 + f). */
typedef struct tg_log_parts {
    double n;
    tg_dd f;
} tg_log_parts;

#define TG_BITS_OF_SQRT_HALF UINT64_C(0x3fe6a09e667f3bcd)

/* The exponent of a positive normal x whose fraction is then in [sqrt(1/2), sqrt(2)). */
TG_FORM double tg_log_exponent(double x)
{
    const uint64_t biased = (tg_bits(x) - TG_BITS_OF_SQRT_HALF + (UINT64_C(1024) << 52)) >> 52;
    return tg_of_bits(biased | UINT64_C(0x4330000000000000)) - (0x1p52 + 1024.0);
}

/* For x > 0, also subnormal. */
TG_FORM tg_log_parts tg_log_split(double x)
{
    const bool tiny = x < 0x1p-1022;
    const double y = tiny ? x * 0x1p54 : x;
    const double n = tg_log_exponent(y);
    const double m = tg_of_bits(tg_bits(y) - (tg_bits(n + TG_MAGIC) << 52));
    const tg_log_parts parts = {tiny ? n - 54.0 : n, {m - 1.0, 0.0}};
    return parts;
}

/* n ln(2) + log(1 + f), within about 2^-59 of its size. */
TG_FORM tg_dd tg_log_of_parts(tg_log_parts p)
{
    const tg_dd below = tg_fast_sum(2.0, p.f.hi);
    const tg_dd s = tg_dd_div(p.f, tg_dd_make(below.hi, below.lo + p.f.lo));
    const double z = s.hi * s.hi;
    const double tail = tg_fma(s.hi * z, tg_poly_log(z), 2.0 * s.lo);
    const tg_dd head = tg_fast_sum(p.n * TG_LN2_0, 2.0 * s.hi);
    return tg_fast_sum(head.hi, head.lo + tg_fma(p.n, TG_LN2_1, tail));
}

TG_FORM double tg_log_form(double x)
{
    const tg_dd l = tg_log_of_parts(tg_log_split(x));
    const double r = tg_select(x == TG_INF, x, l.hi + l.lo);
    return tg_select(x == 0.0, -TG_INF, tg_select(x < 0.0, tg_nan(), r));
}

/* n + log(1 + f) / ln(2); powers of two give n exactly. */
TG_FORM double tg_log2_form(double x)
{
    const tg_log_parts p = tg_log_split(x), of_fraction = {0.0, p.f};
    const tg_dd l = tg_dd_mul(tg_log_of_parts(of_fraction), tg_dd_make(TG_LOG2E_0, TG_LOG2E_1));
    const tg_dd sum = tg_fast_sum(p.n, l.hi);
    const double r = tg_select(x == TG_INF, x, sum.hi + (sum.lo + l.lo));
    return tg_select(x == 0.0, -TG_INF, tg_select(x < 0.0, tg_nan(), r));
}

/* 2^more (1 + u) for u.hi > -1; u is kept to its own precision when it is small. */
TG_FORM tg_log_parts tg_log1p_split(tg_dd u, double more)
{
    const tg_dd exact = tg_sum(1.0, u.hi);
    const tg_dd w = tg_fast_sum(exact.hi, exact.lo + u.lo);
    const double n = tg_log_exponent(w.hi);
    const double scale = tg_of_bits((UINT64_C(1023) << 52) - (tg_bits(n + TG_MAGIC) << 52));
    const double m = tg_of_bits(tg_bits(w.hi) - (tg_bits(n + TG_MAGIC) << 52));
    const tg_dd f = tg_sum(m - 1.0, n > 1000.0 ? 0.0 : w.lo * scale);
    const tg_log_parts parts = {n + more, tg_dd_select(n == 0.0, u, f)};
    return parts;
}

TG_FORM double tg_log1p_form(double x)
{
    const tg_dd l = tg_log_of_parts(tg_log1p_split(tg_dd_make(x, 0.0), 0.0));
    const double r = tg_select((x == TG_INF) | (tg_abs(x) < 0x1p-54), x, l.hi + l.lo);
    return tg_select(x == -1.0, -TG_INF, tg_select(x < -1.0, tg_nan(), r));
}

/* log1p(a + a^2 / (1 + sqrt(1 + a^2))), or log(2 a) for a so large that only a^2 matters. */
TG_FORM double tg_asinh_form(double x)
{
    const double a = tg_abs(x);
    const bool large = a > 0x1p60;
    const double b = large ? 1.0 : a;
    const tg_dd square = tg_product(b, b);
    const tg_dd root = tg_dd_sqrt(tg_dd_add_f64(square, 1.0));
    const tg_dd part = tg_dd_div(square, tg_dd_add_f64(root, 1.0));
    const tg_dd u = tg_dd_add_f64(part, b);
    const tg_dd argument = tg_dd_select(large, tg_dd_make(a, 0.0), u);
    const tg_dd l = tg_log_of_parts(tg_log1p_split(argument, large ? 1.0 : 0.0));
    const double r = tg_select((a == TG_INF) | (a < 0x1p-54), a, l.hi + l.lo);
    return tg_with_sign(r, x);
}

/* log1p(t + sqrt(t (t + 2))) with t = x - 1, or log(2 x). */
TG_FORM double tg_acosh_form(double x)
{
    const bool large = x > 0x1p60;
    const double b = large ? 2.0 : x;
    const double below_one = b < 1.0 ? 1.0 : b;
    const tg_dd t = tg_sum(below_one, -1.0);
    const tg_dd root = tg_dd_sqrt(tg_dd_mul(t, tg_dd_add_f64(t, 2.0)));
    const tg_dd argument = tg_dd_select(large, tg_dd_make(x, 0.0), tg_dd_add(t, root));
    const tg_dd l = tg_log_of_parts(tg_log1p_split(argument, large ? 1.0 : 0.0));
    const double r = tg_select(x == TG_INF, x, l.hi + l.lo);
    return tg_select(x < 1.0, tg_nan(), r);
}

/* log1p(2 a / (1 - a)) / 2. */
TG_FORM double tg_atanh_form(double x)
{
    const double a = tg_abs(x), b = a < 1.0 ? a : 0.5;
    const tg_dd u = tg_dd_div(tg_dd_make(2.0 * b, 0.0), tg_sum(1.0, -b));
    const tg_dd l = tg_log_of_parts(tg_log1p_split(u, 0.0));
    const double r = tg_select(a < 0x1p-54, a, 0.5 * (l.hi + l.lo));
    return tg_with_sign(tg_select(a == 1.0, TG_INF, tg_select(a > 1.0, tg_nan(), r)), x);
}

#endif
