/* Barriers between threads of a program: the mbarrier behind a ref, and its bytes. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_BARRIER_H
#define TG_GPU_BACKEND_INSTRUCTIONS_BARRIER_H

#include <stdbool.h>

#include "gpu_backend/emit/emitter.h"

/* The address of the mbarrier, .b64 in shared memory, or of the one in the same place of the own block. */
tg_ptx_reg tg_ptx_barrier_address(tg_ptx_emitter *em, const tg_ptx_ref *ref, bool is_own);

/* The team arrives: all that it has done so far is a part of the phase. */
void tg_ptx_barrier_arrive(tg_ptx_emitter *em, const tg_ptx_ref *ref);

/* An arrival behind the products of tcgen05 that the team's first thread has started. */
void tg_ptx_barrier_commit(tg_ptx_emitter *em, const tg_ptx_ref *ref);

/* The current phase lacks so many bytes more. */
void tg_ptx_barrier_expect(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_ptx_uniform bytes);

/* All that the team has done so far is a part of the phase, for which it has brought so many bytes. */
void tg_ptx_barrier_bring(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_ptx_uniform bytes);

#endif
