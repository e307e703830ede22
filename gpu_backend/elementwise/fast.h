/* Element-wise ops by the approximate instructions, where their errors are documented, for profile
 * fast. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_FAST_H
#define TG_GPU_BACKEND_ELEMENTWISE_FAST_H

#include <stdbool.h>

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"
#include "ir/type.h"

/* The op by the rows of fast.def.  False, and nothing written, where it has none: then it is as
 * tg_ptx_lane has it. */
bool tg_ptx_lane_fast(const tg_ptx_lane_op *l, tg_ptx_reg *out);

/* How far from the exact value y of an operand x such a result may be, before it is rounded to a
 * narrow dtype: (relative + by_operand |x|) |y| + absolute. */
typedef struct tg_ptx_error {
    double relative, by_operand, absolute;
} tg_ptx_error;

/* False where tg_ptx_lane_fast is. */
bool tg_ptx_lane_error(tg_opcode op, tg_dtype dtype, tg_ptx_error *out);

#endif
