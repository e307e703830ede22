/* Rounding to integers and to fewer bits. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_ROUND_H
#define TG_GPU_BACKEND_ELEMENTWISE_ROUND_H

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"

/* A float to an integer, ties to even or away from zero as `imm` says. */
tg_ptx_reg tg_ptx_round(const tg_ptx_lane_op *l);

/* A float to as many bits of exponent (`imm` >> 8) and of mantissa (`imm` & 255). */
tg_ptx_reg tg_ptx_reduce_precision(const tg_ptx_lane_op *l);

#endif
