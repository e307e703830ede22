/* Guards check, before an op runs, what the op promises or forbids. */
#ifndef TG_LOWER_GUARDS_H
#define TG_LOWER_GUARDS_H

#include "lower/impl.h"

/* Emits a guard on operand number `in` of the op. */
void tg_lower_guard(tg_lowerer *l, const tg_op *op, uint32_t in, tg_guard_kind kind, int64_t limit);

void tg_lower_op_assume_multiple(tg_lowerer *l, const tg_op *op);

#endif
