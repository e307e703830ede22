/* Contracts that promise less of NaN than exact arithmetic has. */
#ifndef TG_BOUNDS_NAN_H
#define TG_BOUNDS_NAN_H

#include "bounds/impl.h"

/* Returns whether the contract leaves open what the op makes of NaN. */
bool tg_bound_opens_nan(const tg_bound *b, const tg_op *op);

/* Of the current op, for which that holds: makes bounds infinite where the result is NaN, and
 * comparisons with NaN undecided; where an index or an order depends on NaN, a check fails. */
void tg_bound_open_nan(tg_bound *b);

#endif
