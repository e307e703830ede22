/* What functions of one number pass on of the error of their operand. */
#ifndef TG_BOUNDS_FUNCTIONS_H
#define TG_BOUNDS_FUNCTIONS_H

#include "bounds/impl.h"

/* Returns how far the result of the current op, a function of `x`, may move while x moves by its
 * bound; infinite where x may leave the function's domain.  `x` has a bound. */
tg_value_id tg_bound_of_function(tg_bound *b, tg_value_id x);

#endif
