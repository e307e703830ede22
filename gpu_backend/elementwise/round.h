/* Rounding to integers and to fewer bits. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_ROUND_H
#define TG_GPU_BACKEND_ELEMENTWISE_ROUND_H

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"

/* Rounds a float to an integer, ties to even or away from zero according to `imm`. */
tg_ptx_reg tg_ptx_round(const tg_ptx_lane_op *l);

/* Rounds a float to `imm` >> 8 bits of exponent and `imm` & 255 bits of mantissa. */
tg_ptx_reg tg_ptx_reduce_precision(const tg_ptx_lane_op *l);

#endif
