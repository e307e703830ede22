/* What element-wise operations pass on of the errors of their operands. */
#ifndef TG_BOUNDS_PASSED_H
#define TG_BOUNDS_PASSED_H

#include "bounds/impl.h"

/* Returns what the operands of an op pass on: the bound of its result, if it were not rounded. */
tg_value_id tg_bound_passed(tg_bound *b, const tg_op *op);

/* The same of a monotone function: how much its value changes towards either end of the interval
 * that contains the operand. */
tg_value_id tg_bound_of_monotone(tg_bound *b, tg_opcode code, tg_value_id x);

#endif
