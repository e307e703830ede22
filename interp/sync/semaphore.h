/* Semaphores: counters that programs and copies raise, and that programs wait for. */
#ifndef TG_INTERP_SYNC_SEMAPHORE_H
#define TG_INTERP_SYNC_SEMAPHORE_H

#include "interp/state/machine.h"

/* Returns the semaphore of the ref; NULL if it is outside its array, which its view has
 * reported. */
int64_t *tg_semaphore_at(const tg_machine *m, tg_ref_id ref);

/* Returns whether others can raise semaphores of a program: other chains, or other threads of its
 * own. */
bool tg_semaphores_are_shared(const tg_machine *m);

/* Notifies the scheduler that a semaphore was raised.  It is in the memory of parameter `root`;
 * UINT32_MAX: of none. */
void tg_semaphore_raised(const tg_machine *m, const tg_inst *inst, uint32_t root,
                         const int64_t *semaphore);

/* Called when the memory of an array ends: reports its first semaphore that is not 0. */
void tg_semaphores_end(tg_machine *m, const tg_inst *inst, const tg_param *param,
                       const int64_t *semaphores, int64_t count);

#endif
