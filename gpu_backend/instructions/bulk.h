/* Bulk copies: copies between global and shared memory that run beside the threads, row by row. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_BULK_H
#define TG_GPU_BACKEND_INSTRUCTIONS_BULK_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* 1 or 0: whether the copy is one of whole rows of 16-byte multiples, all inside their arrays, and
 * tells a barrier, or, to global memory, a group.  Emits rows only if that is not known. */
tg_ptx_uniform tg_ptx_bulk_is_possible(tg_ptx_emitter *em, const struct tg_inst_async *dma);

/* Starts it.  A barrier of the team stands before it.
 *   mask  NULL; or .b16, the ranks of blocks that the copy goes to, each time to the same place, telling the
 *         barrier in the same place there */
void tg_ptx_bulk_start(tg_ptx_emitter *em, const struct tg_inst_async *dma, const tg_ptx_reg *mask);

/* The chain ends: waits for all copies of the team. */
void tg_ptx_bulk_end(tg_ptx_emitter *em);

#endif
