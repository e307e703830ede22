/* Forms (elementary_dd.h) of rsqrt and cbrt. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTARY_ROOT_H
#define TG_INTERP_ELEMENTWISE_ELEMENTARY_ROOT_H

#include "interp/elementwise/elementary_dd.h"

/* Division and square root are rounded, and their errors are known exactly: one correction each. */
TG_FORM double tg_rsqrt_form(double x)
{
    const bool small = x < 0x1p-500;
    const double y = small ? x * 0x1p200 : x;
    const double s = tg_sqrt(y), r = 1.0 / s;
    const double root_error = tg_fma(-s, s, y) * (0.5 * r);
    const double rest = tg_fma(-s, r, 1.0) - root_error * r;
    const double q = tg_fma(r, rest, r) * (small ? 0x1p100 : 1.0);
    const double positive = tg_select(x == TG_INF, 0.0, q);
    const double defined = tg_select(x < 0.0, tg_nan(), positive);
    return tg_select(x == 0.0, tg_with_sign(TG_INF, x), defined);
}

/* a (a^3 + 2 x) / (2 a^3 + x), Halley's step, which triples the good digits of a. */
TG_FORM double tg_cbrt_step(double a, double x)
{
    const double cube = a * a * a;
    return a * ((cube + (x + x)) / ((cube + cube) + x));
}

TG_FORM double tg_cbrt_form(double x)
{
    const double a = tg_abs(x);
    const bool small = a<0x1p-960, large = a> 0x1p960;
    const double down = large ? 0x1p-120 : 1.0, up = large ? 0x1p40 : 1.0;
    const double y = a * (small ? 0x1p120 : down);
    /* a third of the bits read as an integer is near the bits of the root: high word only, exact
     * in f64 */
    const double word = tg_of_bits(tg_bits(y) >> 32 | UINT64_C(0x4330000000000000)) - 0x1p52;
    const double third = tg_fma(word, 0x1.5555555555555p-2, 715094163.0) + 0x1p52;
    double r = tg_of_bits(tg_bits(third) << 32);
    r = tg_cbrt_step(r, y);
    r = tg_cbrt_step(r, y);
    /* Newton with the residual of r^3 known exactly */
    const tg_dd square = tg_product(r, r), cube = tg_product(square.hi, r);
    const double residual = ((y - cube.hi) - cube.lo) - square.lo * r;
    const double corrected = (r + residual / (3.0 * square.hi)) * (small ? 0x1p-40 : up);
    return tg_with_sign(tg_select((a == 0.0) | (a == TG_INF), a, corrected), x);
}

#endif
