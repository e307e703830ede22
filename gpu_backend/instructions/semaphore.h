/* Semaphores: counters of a chain, in its workspace. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_SEMAPHORE_H
#define TG_GPU_BACKEND_INSTRUCTIONS_SEMAPHORE_H

#include "gpu_backend/emit/emitter.h"
#include "ir/type.h"
#include "plan/plan.h"

/* The first thread adds `by` to the counter. */
void tg_ptx_semaphore_raise(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_ptx_uniform by);

/* The number of bytes by which a copy of the ref raises its counter: those that the ref has at run
 * time. */
tg_ptx_uniform tg_ptx_copied_bytes(tg_ptx_emitter *em, const tg_ptx_ref *ref, const tg_type *type);

#endif
