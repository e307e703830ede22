/* Shared by the files with rules. */
#ifndef TG_BOUNDS_RULES_IMPL_H
#define TG_BOUNDS_RULES_IMPL_H

#include "bounds/emit.h"
#include "bounds/facts.h"
#include "bounds/models.h"

static inline void tg_bound_set(tg_bound *b, tg_companion which, tg_value_id companion)
{
    b->companion[which][b->op->out[0]] = companion;
}

#endif
