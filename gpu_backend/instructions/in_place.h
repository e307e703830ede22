/* Blocks used in place.  A plain load of memory that no program writes, wholly inside the array in
 * every program, need not be copied to the workspace; nor need the value of such a store be copied
 * from there.  The plan marks candidates (plan/plan.h: has_memory), among which the interpreter
 * decides at run time; here only those remain for which the answer is known before the run. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_IN_PLACE_H
#define TG_GPU_BACKEND_INSTRUCTIONS_IN_PLACE_H

#include <stdbool.h>

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* Finds the slots that must be dense.  Returns false if memory runs out. */
bool tg_ptx_find_in_place(tg_ptx_emitter *em);

/* tg_ptx_may_stay: whether the value of a load or store may stay in its array; this is known once
 * its ref is.  tg_ptx_leave_in_place: records that the value is there from now on. */
bool tg_ptx_may_stay(tg_ptx_emitter *em, const struct tg_inst_access *access);
void tg_ptx_leave_in_place(tg_ptx_emitter *em, const struct tg_inst_access *access);

/* Whether a store has nothing left to do because its value was computed in place. */
bool tg_ptx_is_stored(const tg_ptx_emitter *em, const struct tg_inst_access *store);

#endif
