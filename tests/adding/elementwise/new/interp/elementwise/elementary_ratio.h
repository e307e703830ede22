/* The written form of softsign. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTARY_RATIO_H
#define TG_INTERP_ELEMENTWISE_ELEMENTARY_RATIO_H

#include "interp/elementwise/elementary_dd.h"

TG_FORM double tg_softsign_form(double x)
{
    const double a = tg_abs(x);
    return tg_with_sign(tg_select(a == TG_INF, 1.0, a / (1.0 + a)), x);
}

#endif
