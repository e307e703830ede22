/* Forms (elementary_dd.h) of erf and erf_inv. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTARY_ERF_H
#define TG_INTERP_ELEMENTWISE_ELEMENTARY_ERF_H

#include "interp/elementwise/elementary_exp.h"
#include "interp/elementwise/elementary_log.h"

/* erf(a) for 0 <= a <= 3/4: a (c + d a^2 + a^4 p(a^2)). */
TG_FORM tg_dd tg_erf_near(double a)
{
    const tg_dd z = tg_product(a, a), second = tg_product(z.hi, TG_ERF_SECOND_0);
    const tg_dd head = tg_fast_sum(TG_TWO_OVER_SQRT_PI_0, second.hi);
    const double rounded = tg_fma(z.hi, TG_ERF_SECOND_1, tg_fma(z.lo, TG_ERF_SECOND_0, second.lo));
    const double low = head.lo + (TG_TWO_OVER_SQRT_PI_1 + rounded);
    const double tail = tg_fma(z.hi * z.hi, tg_poly_erf4(z.hi), low);
    return tg_dd_mul_f64(tg_fast_sum(head.hi, tail), a);
}

/* a (high + low) for small a, whose products would lose their low parts. */
TG_FORM double tg_tiny_times(double a, double high, double low)
{
    const double t = a * 0x1p200;
    return tg_fma(t, high, t * low) * 0x1p-200;
}

/* e^(a^2) erfc(a) for 3/4 <= a <= 6. */
TG_FORM tg_dd tg_erfcx(double a)
{
    const double u = (a - 2.5) / (a + 2.5);
    const tg_dd p = tg_fast_sum(TG_ERFCX_MIDDLE_0, tg_fma(u, tg_poly_erfcx(u), TG_ERFCX_MIDDLE_1));
    return tg_dd_div(p, tg_sum(2.0 * a, 1.0));
}

/* e^(sign a^2) for |a| <= 6. */
TG_FORM tg_dd tg_exp_of_square(double a, double sign)
{
    const tg_dd square = tg_product(a, a);
    const tg_exp_parts p = tg_exp_reduce(sign * square.hi);
    const tg_dd e = tg_exp_of_parts(tg_dd_make(p.r.hi, tg_fma(sign, square.lo, p.r.lo)));
    const double scale = tg_power_of_two(p.n + TG_MAGIC);
    return tg_fast_sum(e.hi * scale, e.lo * scale);
}

TG_FORM double tg_erf_form(double x)
{
    const double a = tg_abs(x), near = a < 0.75 ? a : 0.75, far = tg_clamp(a, 0.75, 6.0);
    const tg_dd e = tg_erf_near(near);
    const tg_dd complement = tg_dd_mul(tg_exp_of_square(far, -1.0), tg_erfcx(far));
    const tg_dd rest = tg_fast_sum(1.0, -complement.hi);
    const double r = a < 0.75 ? e.hi + e.lo : rest.hi + (rest.lo - complement.lo);
    const double tiny = tg_tiny_times(near, TG_TWO_OVER_SQRT_PI_0, TG_TWO_OVER_SQRT_PI_1);
    return tg_with_sign(a < 0x1p-500 ? tiny : r, x);
}

/* A first guess from log(1 - a^2) or log(1 - a), then one step of Newton, and half of the
 * second-order term. */
TG_FORM double tg_erf_inv_form(double x)
{
    const double a = tg_abs(x), b = a < 1.0 ? a : 0.5;
    const bool is_near = b < 0.7111;
    /* near: erf(y) - b known as a sum of two f64 */
    const double near = is_near ? b : 0.5;
    const tg_dd w = tg_log_of_parts(tg_log1p_split(tg_dd_make(-near * near, 0.0), 0.0));
    const double guess_near = near * tg_poly_erf_inv_near(-w.hi);
    const tg_dd e = tg_erf_near(guess_near);
    const double error_near = ((e.hi - near) + e.lo) * tg_exp_of_square(guess_near, 1.0).hi;
    /* far: erfc(y) - (1 - b), times e^(y^2) */
    const double c = is_near ? 0.125 : 1.0 - b;
    const tg_dd v = tg_log_of_parts(tg_log_split(c));
    const double guess_far = tg_poly_erf_inv_far(tg_sqrt(-v.hi));
    const tg_dd grown = tg_dd_mul_f64(tg_exp_of_square(guess_far, 1.0), c),
                target = tg_erfcx(guess_far);
    const double error_far = (grown.hi - target.hi) + (grown.lo - target.lo);
    const double y = is_near ? guess_near : guess_far;
    const double step = TG_HALF_SQRT_PI_0 * (is_near ? error_near : error_far);
    const double r = y - tg_fma(y * step, -step, step);
    const double tiny = tg_tiny_times(near, TG_HALF_SQRT_PI_0, TG_HALF_SQRT_PI_1);
    const double inside = tg_select(a < 0x1p-500, tiny, r);
    const double defined = tg_select(a > 1.0, tg_nan(), inside);
    return tg_with_sign(tg_select(a == 1.0, TG_INF, defined), x);
}

#endif
