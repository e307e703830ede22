/* The rules of bounds: what each operation passes on and adds. */
#ifndef TG_BOUNDS_RULES_H
#define TG_BOUNDS_RULES_H

#include "bounds/impl.h"

/* Adds the companions of the result of the current op, which computes: an operand is off, or the op
 * adds an error.  Refuses ops that it has no rule for. */
void tg_bound_compute(tg_bound *b);

/* Returns whether the op's result may be off even if its operands are not. */
bool tg_bound_adds_error(tg_bound *b, const tg_op *op);

/* Returns whether an op that moves elements needs a rule all the same. */
bool tg_bound_has_rule(const tg_bound *b, const tg_op *op);

#endif
