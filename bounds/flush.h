/* Contracts that let subnormal numbers be taken for 0. */
#ifndef TG_BOUNDS_FLUSH_H
#define TG_BOUNDS_FLUSH_H

#include "bounds/impl.h"

/* Widens the bound of the current op's result where that may be subnormal: it may be 0 too. */
void tg_bound_flush_result(tg_bound *b);

/* Gives what the current op loads from exact memory, or a constant, a bound where it is subnormal:
 * the ops that use it may take it for 0. */
void tg_bound_flush_operand(tg_bound *b);

#endif
