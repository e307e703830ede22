/* An element-wise op on one element, to be written as PTX rows. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_LANE_OP_H
#define TG_GPU_BACKEND_ELEMENTWISE_LANE_OP_H

#include <stdint.h>

#include "gpu_backend/text/writer.h"
#include "ir/op.h"
#include "ir/type.h"

/* `dtype`, `second` and `imm` are as in tg_group_op (plan/plan.h).  `in` has the op's `count`
 * operands in canonical form (lane.h). */
typedef struct tg_ptx_lane_op {
    tg_ptx_writer *w;
    tg_opcode op;
    tg_dtype dtype, second;
    int64_t imm;
    uint32_t count;
    const tg_ptx_reg *in;
} tg_ptx_lane_op;

#endif
