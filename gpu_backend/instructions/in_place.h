/* Blocks that are left where they are: a plain load of what nobody writes, all of it inside the
 * array in every program, need not be copied into the workspace, nor the value of such a store out
 * of it.  The plan has found out which may (as the interpreter does at run time, plan/plan.h:
 * has_memory); here remain those of which it is known before the run. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_IN_PLACE_H
#define TG_GPU_BACKEND_INSTRUCTIONS_IN_PLACE_H

#include <stdbool.h>

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* Finds the slots that must be dense.  False without memory. */
bool tg_ptx_find_in_place(tg_ptx_emitter *em);

/* Whether the value of a load or store may stay in its array, which is known when its ref is; and
 * that it is there from now on. */
bool tg_ptx_may_stay(tg_ptx_emitter *em, const struct tg_inst_access *access);
void tg_ptx_leave_in_place(tg_ptx_emitter *em, const struct tg_inst_access *access);

/* Whether a store has nothing left to do: its value has been computed where it belongs. */
bool tg_ptx_is_stored(const tg_ptx_emitter *em, const struct tg_inst_access *store);

#endif
