/* Copies beside the program.  Each takes place where it starts, which is one of the times that
 * docs/semantics.md permits (dma_start), and then raises its semaphore. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_DMA_H
#define TG_GPU_BACKEND_INSTRUCTIONS_DMA_H

#include <stddef.h>

#include "gpu_backend/emit/emitter.h"
#include "ir/ir.h"
#include "plan/plan.h"

/* Bytes of temporary memory that the copy needs in the workspace. */
size_t tg_ptx_dma_extra(const tg_kernel *k, const struct tg_inst_async *dma);

/* Starts a copy between memories that threads can access. */
void tg_ptx_dma_start(tg_ptx_emitter *em, const struct tg_inst_async *dma);

/* 1 or 0: whether it is just a bulk copy, without anything to report. */
tg_ptx_uniform tg_ptx_dma_is_bulk(tg_ptx_emitter *em, const struct tg_inst_async *dma);

#endif
