/* The ops that reductions, scans and atomics repeat. */
#ifndef TG_IR_REDUCTION_H
#define TG_IR_REDUCTION_H

#include "ir/op.h"
#include "ir/type.h"

/* Returns the op of two operands that a reduction or scan repeats; TG_OP_COUNT if `op` is
 * neither. */
tg_opcode tg_reduction_step(tg_opcode op);

/* Returns the op that a kind of atomic_rmw stands for; TG_OP_COUNT for xchg. */
tg_opcode tg_atomic_op(int64_t kind);

/* Writes the result of a reduction by `step` of no elements, one carrier of `dtype`, to `out`. */
void tg_reduction_of_nothing(tg_opcode step, tg_dtype dtype, void *out);

#endif
