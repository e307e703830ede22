/* Copies that run beside the program.  Each takes place where it starts, one of the moments that
 * docs/semantics.md gives it (dma_start), and raises its semaphore. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_DMA_H
#define TG_GPU_BACKEND_INSTRUCTIONS_DMA_H

#include <stddef.h>

#include "gpu_backend/emit/emitter.h"
#include "ir/ir.h"
#include "plan/plan.h"

/* Bytes of the workspace that the copy has to itself. */
size_t tg_ptx_dma_extra(const tg_kernel *k, const struct tg_inst_dma *dma);

#endif
