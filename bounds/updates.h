/* Memory that several programs change: atomic updates, and copies between memories. */
#ifndef TG_BOUNDS_UPDATES_H
#define TG_BOUNDS_UPDATES_H

#include "bounds/impl.h"

/* Returns whether the op is an atomic update of floats. */
bool tg_bound_is_update(const tg_bound *b, const tg_op *op);

/* The rule of atomic updates: what is added is added in any order; of an extreme, the order does not
 * matter. */
void tg_bound_rule_update(tg_bound *b);

/* Emits, before a copy that the current op starts, what it does to the companions of the memory that
 * it copies to: at once, as nobody may use that memory before the copy has ended. */
void tg_bound_copy(tg_bound *b);

/* The rule of copies: the op itself needs no more. */
void tg_bound_rule_copy(tg_bound *b);

#endif
