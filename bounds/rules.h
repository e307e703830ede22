/* The rules of bounds: what each operation passes on and adds. */
#ifndef TG_BOUNDS_RULES_H
#define TG_BOUNDS_RULES_H

#include "bounds/impl.h"

/* Adds the companion of the result of the current op, which computes: an operand has a companion,
 * or profile fast approximates the op.  Refuses ops that it has no rule for. */
void tg_bound_compute(tg_bound *b);

/* Returns whether profile fast may give other bits for the op even if its operands have the same
 * bits. */
bool tg_bound_is_approximate(const tg_bound *b, const tg_op *op);

#endif
