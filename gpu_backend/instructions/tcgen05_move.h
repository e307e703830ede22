/* Copies between tensor memory and memory that stands for registers of a thread. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_TCGEN05_MOVE_H
#define TG_GPU_BACKEND_INSTRUCTIONS_TCGEN05_MOVE_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* Whether one side of the copy is held in tensor memory. */
bool tg_ptx_tensor_moves(const tg_ptx_emitter *em, const struct tg_inst_async *dma);

/* It is over when it returns. */
void tg_ptx_tensor_move(tg_ptx_emitter *em, const struct tg_inst_async *dma);

/* Gives all that is held undefined values.  The first team does so. */
void tg_ptx_tensor_fill(tg_ptx_emitter *em);

#endif
