/* Choosing among operands. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_SELECT_H
#define TG_GPU_BACKEND_ELEMENTWISE_SELECT_H

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"

/* The case that the first operand names, the nearest one where it names none. */
tg_ptx_reg tg_ptx_select(const tg_ptx_lane_op *l);

/* min(max(x, low), high), of operands low, x, high. */
tg_ptx_reg tg_ptx_clamp(const tg_ptx_lane_op *l);

#endif
