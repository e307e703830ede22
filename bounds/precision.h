/* Results that are rounded to nearest to fewer bits, whatever the contract. */
#ifndef TG_BOUNDS_PRECISION_H
#define TG_BOUNDS_PRECISION_H

#include "bounds/impl.h"

/* The rule of reduce_precision: in exact arithmetic it is its operand. */
void tg_bound_rule_precision(tg_bound *b);

/* Returns |v - R| of a result that is determined; 0 where both are infinite or NaN. */
tg_value_id tg_bound_own_error(tg_bound *b);

#endif
