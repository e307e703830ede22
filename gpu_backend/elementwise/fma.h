/* A product and a sum, rounded once. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_FMA_H
#define TG_GPU_BACKEND_ELEMENTWISE_FMA_H

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"

/* The product of the first two operands plus the third one. */
tg_ptx_reg tg_ptx_fma(const tg_ptx_lane_op *l);

#endif
