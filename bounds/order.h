/* Rules of what depends on which of two numbers is greater, or on a whole number. */
#ifndef TG_BOUNDS_ORDER_H
#define TG_BOUNDS_ORDER_H

#include "bounds/impl.h"

/* Each computes the companions of the current op's results; what one result of floats is in exact
 * arithmetic is there already, if nothing else is said. */
void tg_bound_rule_to_int(tg_bound *b); /* convert to integers and bools */
void tg_bound_rule_arg(tg_bound *b);    /* argmax, argmin */
void tg_bound_rule_sort(tg_bound *b);   /* of several operands, all companions */

#endif
