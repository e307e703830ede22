/* Lowers branches to jumps. */
#ifndef TG_LOWER_BRANCH_H
#define TG_LOWER_BRANCH_H

#include "lower/impl.h"

/* Emits a jump to one of `target_count` targets, which the caller fills in; NULL if memory runs
 * out. */
struct tg_inst_switch *tg_lower_branch(tg_lowerer *l, const tg_op *op, tg_operand on,
                                       uint32_t target_count);

void tg_lower_op_switch(tg_lowerer *l, const tg_op *op);

#endif
