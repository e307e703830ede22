/* Semaphores: counters that a program, or a copy that runs beside it, raises and that programs wait
 * for. */
#ifndef TG_INTERP_SYNC_SEMAPHORE_H
#define TG_INTERP_SYNC_SEMAPHORE_H

#include "interp/state/machine.h"

/* The semaphore that the ref shows; NULL where it is outside, which its view has reported. */
int64_t *tg_semaphore_at(const tg_machine *m, tg_ref_id ref);

/* Whether others can raise semaphores of a program: other chains, or other threads of its own. */
bool tg_semaphores_are_shared(const tg_machine *m);

/* Tells whoever schedules programs that a semaphore is raised, which is in the memory of param
 * `root`; UINT32_MAX: in none. */
void tg_semaphore_raised(const tg_machine *m, const tg_inst *inst, uint32_t root,
                         const int64_t *semaphore);

/* Reports the first semaphore of an array that is not 0 where its memory ends. */
void tg_semaphores_end(tg_machine *m, const tg_inst *inst, const tg_param *param,
                       const int64_t *semaphores, int64_t count);

#endif
