/* Element-wise ops that are known to exist. */
#ifndef TG_GPU_BACKEND_EMIT_APPLY_H
#define TG_GPU_BACKEND_EMIT_APPLY_H

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"
#include "ir/type.h"

/* tg_ptx_lane of an op that verifies, all of which it has; TG_ERR_INTERNAL in the emitter if not.
 * The writer is the emitter's. */
tg_ptx_reg tg_ptx_apply(tg_ptx_emitter *em, const tg_ptx_lane_op *l);

/* An op of two operands of one dtype. */
tg_ptx_reg tg_ptx_apply_two(tg_ptx_emitter *em, tg_opcode op, tg_dtype dtype, tg_ptx_reg a,
                            tg_ptx_reg b);

#endif
