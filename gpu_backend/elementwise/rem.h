/* The exact remainder of floats. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_REM_H
#define TG_GPU_BACKEND_ELEMENTWISE_REM_H

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"

/* The operands' remainder, with the sign of the first operand. */
tg_ptx_reg tg_ptx_rem_float(const tg_ptx_lane_op *l);

#endif
