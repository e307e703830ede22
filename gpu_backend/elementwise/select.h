/* Selecting among operands. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_SELECT_H
#define TG_GPU_BACKEND_ELEMENTWISE_SELECT_H

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"

/* The case that the first operand selects; an index out of range selects the nearest case. */
tg_ptx_reg tg_ptx_select(const tg_ptx_lane_op *l);

/* min(max(x, low), high); the operands are low, x, high. */
tg_ptx_reg tg_ptx_clamp(const tg_ptx_lane_op *l);

#endif
