/* Atomics: each element is changed in one indivisible step, whatever the op, by
 * compare-and-swap. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_ATOMIC_H
#define TG_GPU_BACKEND_INSTRUCTIONS_ATOMIC_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

void tg_ptx_access_atomic(tg_ptx_emitter *em, const struct tg_inst_access *atomic);

#endif
