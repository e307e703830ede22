/* Operands that are a single int or bool, as uniform values. */
#ifndef TG_GPU_BACKEND_EMIT_SCALAR_H
#define TG_GPU_BACKEND_EMIT_SCALAR_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* The value of a scalar operand, an int or bool, in all threads.  For u64, tg_ptx_scalar_bits keeps
 * all bits, and tg_ptx_scalar clamps to the greatest s64. */
tg_ptx_uniform tg_ptx_scalar_bits(tg_ptx_emitter *em, const tg_operand *o);
tg_ptx_uniform tg_ptx_scalar(tg_ptx_emitter *em, const tg_operand *o);

/* The first thread stores a scalar. */
void tg_ptx_set_scalar(tg_ptx_emitter *em, const tg_operand *o, tg_ptx_uniform v);

/* v clamped to -most .. most, as the interpreter clamps the results of index maps. */
tg_ptx_uniform tg_ptx_bounded(tg_ptx_emitter *em, tg_ptx_uniform v, int64_t most);

/* A scalar, clamped so that no arithmetic on it overflows. */
tg_ptx_uniform tg_ptx_bounded_scalar(tg_ptx_emitter *em, const tg_operand *o);

/* The start of a slice, or a scalar index, clamped in the same way. */
tg_ptx_uniform tg_ptx_position(tg_ptx_emitter *em, const tg_access_dim *dim);

#endif
