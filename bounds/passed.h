/* What element-wise operations pass on of the errors of their operands. */
#ifndef TG_BOUNDS_PASSED_H
#define TG_BOUNDS_PASSED_H

#include "bounds/impl.h"

/* Returns what the operands of an op pass on: the bound of its result, if it were not rounded;
 * TG_NO_BOUND: they are exact. */
tg_value_id tg_bound_passed(tg_bound *b, const tg_op *op);

#endif
