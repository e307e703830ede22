/* Element-wise ops that the emitter knows to exist. */
#ifndef TG_GPU_BACKEND_EMIT_APPLY_H
#define TG_GPU_BACKEND_EMIT_APPLY_H

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"
#include "ir/type.h"

/* tg_ptx_lane, with the emitter's writer, for an op that the verifier has accepted: all of these
 * exist.  If one does not, the emitter gets TG_ERR_INTERNAL. */
tg_ptx_reg tg_ptx_apply(tg_ptx_emitter *em, const tg_ptx_lane_op *l);

/* The same for an op with two operands of one dtype. */
tg_ptx_reg tg_ptx_apply_two(tg_ptx_emitter *em, tg_opcode op, tg_dtype dtype, tg_ptx_reg a,
                            tg_ptx_reg b);

#endif
