/* Semaphores of programs of several threads.  `at` is the address of the counter, in a space. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_SEMAPHORE_THREADS_H
#define TG_GPU_BACKEND_INSTRUCTIONS_SEMAPHORE_THREADS_H

#include <stdbool.h>

#include "gpu_backend/emit/emitter.h"

/* Adds the amount (.b64), behind all that the team has done. */
void tg_ptx_semaphore_raise_among(tg_ptx_emitter *em, tg_ptx_space space, tg_ptx_reg at,
                                  tg_ptx_reg amount);

/* The counter now.  Its threads may see different ones: use that of one of them. */
tg_ptx_uniform tg_ptx_semaphore_read_among(tg_ptx_emitter *em, tg_ptx_space space, tg_ptx_reg at);

/* Waits until the counter is at least `wanted` (.b64), and takes that from it unless `keeps`. */
void tg_ptx_semaphore_wait_among(tg_ptx_emitter *em, tg_ptx_space space, tg_ptx_reg at,
                                 tg_ptx_reg wanted, bool keeps);

#endif
