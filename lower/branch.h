/* Branches become jumps. */
#ifndef TG_LOWER_BRANCH_H
#define TG_LOWER_BRANCH_H

#include "lower/impl.h"

/* Emits the jump to one of `target_count` targets, for the caller to fill in; NULL
 * without memory. */
struct tg_inst_switch *tg_lower_branch(tg_lowerer *l, const tg_op *op, tg_operand on,
                                       uint32_t target_count);

void tg_lower_op_switch(tg_lowerer *l, const tg_op *op);

#endif
