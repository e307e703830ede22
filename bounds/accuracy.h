/* Errors of functions that contracts list by ranges of the operand. */
#ifndef TG_BOUNDS_ACCURACY_H
#define TG_BOUNDS_ACCURACY_H

#include "bounds/impl.h"

/* Returns whether the contract lists the current op, an element-wise one. */
bool tg_bound_is_listed(const tg_bound *b);

/* Returns the bound of the current op's result, which is listed; `passed`: what its operands pass
 * on, or TG_NO_BOUND.  Infinite where the operand may be beyond the ranges, and where the result may
 * overflow. */
tg_value_id tg_bound_of_listed(tg_bound *b, tg_value_id passed);

/* Returns whether results of an op are so small that they never overflow. */
bool tg_bound_is_small(tg_opcode code);

#endif
