/* Operands that are one int or bool, as uniform numbers. */
#ifndef TG_GPU_BACKEND_EMIT_SCALAR_H
#define TG_GPU_BACKEND_EMIT_SCALAR_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* The scalar that an operand of ints or bools is, in every thread: of u64 with all its bits, or at
 * most the greatest s64. */
tg_ptx_uniform tg_ptx_scalar_bits(tg_ptx_emitter *em, const tg_operand *o);
tg_ptx_uniform tg_ptx_scalar(tg_ptx_emitter *em, const tg_operand *o);

/* The first thread sets a scalar. */
void tg_ptx_set_scalar(tg_ptx_emitter *em, const tg_operand *o, tg_ptx_uniform v);

/* The nearest number to v from -most to most, as the interpreter bounds what index maps give. */
tg_ptx_uniform tg_ptx_bounded(tg_ptx_emitter *em, tg_ptx_uniform v, int64_t most);

/* A scalar, far ones bounded so that nothing that is computed of it overflows. */
tg_ptx_uniform tg_ptx_bounded_scalar(tg_ptx_emitter *em, const tg_operand *o);

/* Where a slice begins or what a scalar position is, bounded likewise. */
tg_ptx_uniform tg_ptx_position(tg_ptx_emitter *em, const tg_access_dim *dim);

#endif
