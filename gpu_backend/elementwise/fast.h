/* Element-wise ops by PTX's approximate instructions, for profile fast; only where their errors are
 * documented. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_FAST_H
#define TG_GPU_BACKEND_ELEMENTWISE_FAST_H

#include <stdbool.h>

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"
#include "ir/type.h"

/* Writes the op by the rows of fast.def.  Returns false, and writes nothing, if it has none; then
 * use tg_ptx_lane. */
bool tg_ptx_lane_fast(const tg_ptx_lane_op *l, tg_ptx_reg *out);

/* An error bound: the distance of such a result from the exact value y of an operand x, before it
 * is rounded to a narrow dtype, is at most (relative + by_operand |x|) |y| + absolute. */
typedef struct tg_ptx_error {
    double relative, by_operand, absolute;
} tg_ptx_error;

/* The error bound of tg_ptx_lane_fast.  Returns false where tg_ptx_lane_fast does. */
bool tg_ptx_lane_error(tg_opcode op, tg_dtype dtype, tg_ptx_error *out);

#endif
