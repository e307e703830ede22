/* Forms (elementary_dd.h) of atan, asin, acos and atan2: each is the angle of a point (x, y).
 *
 * With 0 <= t = min / max of |x|, |y|: above tan(pi/8) turn by pi/4, so that t <= tan(pi/8); then
 * atan(t) = t (1 - t^2/3 + t^4/5 - t^6/7 + t^8 A(t^2)), the first terms as sums of two f64. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTARY_ATAN_H
#define TG_INTERP_ELEMENTWISE_ELEMENTARY_ATAN_H

#include "interp/elementwise/elementary_coefficients.h"

/* atan(t) for |t| <= tan(pi/8), within about 2^-66 of its size. */
TG_FORM tg_dd tg_atan_kernel(tg_dd t)
{
    const tg_dd z = tg_dd_mul(t, t);
    tg_dd sum = tg_dd_add(tg_dd_make(-TG_ONE_OVER_7_0, -TG_ONE_OVER_7_1),
                          tg_product(z.hi, tg_poly_atan4(z.hi)));
    sum = tg_dd_add(tg_dd_make(TG_ONE_OVER_5_0, TG_ONE_OVER_5_1), tg_dd_mul(sum, z));
    sum = tg_dd_add(tg_dd_make(-TG_ONE_OVER_3_0, -TG_ONE_OVER_3_1), tg_dd_mul(sum, z));
    return tg_dd_add(t, tg_dd_mul(tg_dd_mul(sum, z), t));
}

/* The angle of the point (x, y), both at least 0 and not both 0, in [0, pi/2]; `mirrored` is the
 * angle of (-x, y) instead, in [pi/2, pi]. */
TG_FORM tg_dd tg_angle_of_point(tg_dd y, tg_dd x, bool mirrored)
{
    const bool steep = y.hi > x.hi;
    const tg_dd low = tg_dd_select(steep, x, y), high = tg_dd_select(steep, y, x);
    const bool turn = low.hi > TG_TAN_PI_8_0 * high.hi;
    const tg_dd turned = tg_dd_add(low, tg_dd_make(-high.hi, -high.lo));
    const tg_dd t =
        tg_dd_div(tg_dd_select(turn, turned, low), tg_dd_select(turn, tg_dd_add(low, high), high));
    const tg_dd a = tg_atan_kernel(t);
    /* the angle is k pi/4 plus or minus a, with k = 0 to 4 */
    const double eighth = turn ? 1.0 : 0.0;
    const double right = steep ? 2.0 - eighth : eighth;
    const double k = mirrored ? 4.0 - right : right;
    const double sign = steep != mirrored ? -1.0 : 1.0;
    const tg_dd base =
        tg_dd_make(k * TG_QUARTER_PI_0, tg_fma(k, TG_QUARTER_PI_0, -(k * TG_QUARTER_PI_0)));
    const tg_dd offset = tg_fast_sum(base.hi, tg_fma(k, TG_QUARTER_PI_1, base.lo));
    return tg_dd_add(offset, tg_dd_make(sign * a.hi, sign * a.lo));
}

TG_FORM double tg_atan_form(double x)
{
    const double a = tg_abs(x), b = a > 0x1p100 ? 0x1p100 : a;
    const tg_dd r = tg_angle_of_point(tg_dd_make(b, 0.0), tg_dd_make(1.0, 0.0), false);
    return tg_with_sign(a < 0x1p-27 ? a : r.hi + r.lo, x);
}

/* sqrt(1 - a^2) for a <= 1. */
TG_FORM tg_dd tg_other_leg(double a)
{
    const tg_dd square = tg_product(a, a);
    const tg_dd s = tg_sum(1.0, -square.hi);
    return tg_dd_sqrt(tg_fast_sum(s.hi, s.lo - square.lo));
}

TG_FORM double tg_asin_form(double x)
{
    const double a = tg_abs(x), b = a > 1.0 ? 1.0 : a;
    const tg_dd r = tg_angle_of_point(tg_dd_make(b, 0.0), tg_other_leg(b), false);
    const double inside = tg_select(a < 0x1p-27, a, r.hi + r.lo);
    return tg_select(a > 1.0, tg_nan(), tg_with_sign(inside, x));
}

TG_FORM double tg_acos_form(double x)
{
    const double a = tg_abs(x), b = a > 1.0 ? 1.0 : a;
    const tg_dd r = tg_angle_of_point(tg_other_leg(b), tg_dd_make(b, 0.0), x < 0.0);
    return tg_select(a > 1.0, tg_nan(), r.hi + r.lo);
}

/* The angle of (x, y) in [-pi, pi], before its last rounding, without the sign of y.  Axes and
 * infinities become points that the kernel can handle. */
TG_FORM tg_dd tg_atan2_dd(double y, double x)
{
    const double ay = tg_abs(y), ax = tg_abs(x);
    const bool y_infinite = ay == TG_INF, x_infinite = ax == TG_INF;
    const double finite_y = tg_select(y_infinite, 1.0, ay),
                 finite_x = tg_select(x_infinite, 1.0, ax);
    const double py = tg_select(x_infinite & (ay < TG_INF), 0.0, finite_y);
    const double px = tg_select(y_infinite & (ax < TG_INF), 0.0, finite_x);
    const double largest = py > px ? py : px;
    const double up = tg_select(largest < 0x1p-400, 0x1p600, 1.0);
    const double scale = tg_select(largest > 0x1p500, 0x1p-500, up);
    const double qx = tg_select(largest == 0.0, 1.0, px * scale);
    return tg_angle_of_point(tg_dd_make(py * scale, 0.0), tg_dd_make(qx, 0.0), tg_bits(x) >> 63);
}

/* For angles so small that they equal their tangents; the parts of a sum might underflow. */
TG_FORM double tg_atan2_tiny(double y, double x)
{
    const double ay = tg_abs(y), ax = tg_abs(x);
    return tg_select((ax == TG_INF) & (ay < TG_INF), 0.0, ay / ax);
}

TG_FORM double tg_atan2_form(double y, double x)
{
    const tg_dd a = tg_atan2_dd(y, x);
    const bool tiny = (a.hi < 0x1p-500) & (y != 0.0);
    const double r = tg_with_sign(tg_select(tiny, tg_atan2_tiny(y, x), a.hi + a.lo), y);
    return tg_select((x != x) | (y != y), tg_nan(), r);
}

/* For f32 operands: rounded to odd, so that rounding to f32 is rounding once. */
TG_FORM double tg_atan2_odd(double y, double x)
{
    const double r = tg_with_sign(tg_dd_to_odd(tg_atan2_dd(y, x), 0.0), y);
    return tg_select((x != x) | (y != y), tg_nan(), r);
}

#endif
