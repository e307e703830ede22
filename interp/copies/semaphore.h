/* Semaphores: counters that a program, or a copy that runs beside it, raises and that programs wait
 * for. */
#ifndef TG_INTERP_COPIES_SEMAPHORE_H
#define TG_INTERP_COPIES_SEMAPHORE_H

#include "interp/state/machine.h"

/* The semaphore that the ref shows; NULL where it is outside, which its view has reported. */
int64_t *tg_semaphore_at(const tg_machine *m, tg_ref_id ref);

/* Reports the first semaphore of an array that is not 0 where its memory ends. */
void tg_semaphores_end(tg_machine *m, const tg_inst *inst, const tg_param *param,
                       const int64_t *semaphores, int64_t count);

#endif
