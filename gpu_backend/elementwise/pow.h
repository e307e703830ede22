/* Powers with an exponent known at compile time. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_POW_H
#define TG_GPU_BACKEND_ELEMENTWISE_POW_H

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"

/* The operand to the power `imm`; each product is rounded as for the op mul. */
tg_ptx_reg tg_ptx_integer_pow(const tg_ptx_lane_op *l);

#endif
