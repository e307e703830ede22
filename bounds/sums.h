/* Rules of sums and products of many numbers, and of their running forms. */
#ifndef TG_BOUNDS_SUMS_H
#define TG_BOUNDS_SUMS_H

#include "bounds/impl.h"

/* Each computes the companions of the current op's results; what one result of floats is in exact
 * arithmetic is there already, if nothing else is said. */
void tg_bound_rule_sum(tg_bound *b);     /* reduce_sum, cumsum */
void tg_bound_rule_product(tg_bound *b); /* reduce_prod, cumprod */

#endif
