/* The rules of bounds: what each operation passes on and adds. */
#ifndef TG_BOUNDS_RULES_H
#define TG_BOUNDS_RULES_H

#include "bounds/impl.h"

/* Adds the companion of the result of the op looked at, which computes: some operand has a
 * companion, or profile fast approximates it.  Refuses what it has no rule for. */
void tg_bound_compute(tg_bound *b);

/* Whether profile fast may give other bits for the op though its operands have the same. */
bool tg_bound_is_approximate(const tg_bound *b, const tg_op *op);

#endif
