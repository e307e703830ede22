/* The memories that may hold undefined elements: which there are, and what they hold at first. */
#ifndef TG_CHECKS_UNDEFINED_MEMORIES_H
#define TG_CHECKS_UNDEFINED_MEMORIES_H

#include "checks/undefined/shadow.h"

/* Finds those of all->plan.  False without memory; in either case to be freed. */
bool tg_shadow_memories_init(tg_undefined *all);
void tg_shadow_memories_free(tg_undefined *all);

/* A run begins: memory of the params.  False without memory. */
bool tg_shadow_memories_begin(tg_undefined *all);

/* A chain begins, with fresh scratch; and TG_I_SCOPE, with fresh memory. */
void tg_shadow_scratch(tg_machine *m);
void tg_shadow_scope(tg_machine *m, const tg_inst *inst);

#endif
