/* The memories that may hold undefined elements, and their initial shadows. */
#ifndef TG_CHECKS_UNDEFINED_MEMORIES_H
#define TG_CHECKS_UNDEFINED_MEMORIES_H

#include "checks/undefined/shadow.h"

/* Finds the memories of all->plan.  Returns false if memory runs out.  The caller calls
 * tg_shadow_memories_free in either case. */
bool tg_shadow_memories_init(tg_undefined *all);
void tg_shadow_memories_free(tg_undefined *all);

/* Sets up the memory of the params at the start of a run.  Returns false if memory runs out. */
bool tg_shadow_memories_begin(tg_undefined *all, const tg_launch *launch);

/* Tells the caller of the run which bytes of inputs are undefined now. */
void tg_shadow_memories_tell(const tg_undefined *all, const tg_launch *launch);

/* tg_shadow_scratch is called when a chain begins, whose scratch is fresh; tg_shadow_scope is
 * called for TG_I_SCOPE, whose memory is fresh. */
void tg_shadow_scratch(tg_machine *m);
void tg_shadow_scope(tg_machine *m, const tg_inst *inst);

#endif
