/* What reductions, scans and atomics are made of. */
#ifndef TG_IR_REDUCTION_H
#define TG_IR_REDUCTION_H

#include "ir/op.h"
#include "ir/type.h"

/* The op of two operands that a reduction or scan repeats; TG_OP_COUNT where `op` is neither. */
tg_opcode tg_reduction_step(tg_opcode op);

/* The op that a kind of atomic_rmw stands for; TG_OP_COUNT for xchg. */
tg_opcode tg_atomic_op(int64_t kind);

/* One carrier: what a reduction of no elements by `step` gives. */
void tg_reduction_of_nothing(tg_opcode step, tg_dtype dtype, void *out);

#endif
