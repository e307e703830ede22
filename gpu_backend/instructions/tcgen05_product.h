/* Products that tcgen05 makes, and arrivals behind them. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_TCGEN05_PRODUCT_H
#define TG_GPU_BACKEND_INSTRUCTIONS_TCGEN05_PRODUCT_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* Starts a product whose sum is held in tensor memory. */
void tg_ptx_tensor_multiply(tg_ptx_emitter *em, const struct tg_inst_async *product);

/* An arrival behind the products of the team. */
void tg_ptx_tensor_arrive(tg_ptx_emitter *em, const tg_ptx_ref *barrier);

#endif
