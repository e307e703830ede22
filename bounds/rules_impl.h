/* Shared by the files with rules. */
#ifndef TG_BOUNDS_RULES_IMPL_H
#define TG_BOUNDS_RULES_IMPL_H

#include "bounds/emit.h"
#include "bounds/facts.h"
#include "bounds/model.h"

static inline void tg_bound_set(tg_bound *b, tg_companion which, tg_value_id companion)
{
    b->companion[which][b->op->out[0]] = companion;
}

/* Each computes the companions of the current op's results; that in exact arithmetic is there
 * already for ops with one result of floats. */
void tg_bound_rule_sum(tg_bound *b);
void tg_bound_rule_product(tg_bound *b); /* reduce_prod, cumprod */
void tg_bound_rule_cumsum(tg_bound *b);

#endif
