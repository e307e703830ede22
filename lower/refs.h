/* References: views of others, and memory that begins and ends in a region. */
#ifndef TG_LOWER_REFS_H
#define TG_LOWER_REFS_H

#include "lower/impl.h"

/* A ref to memory that begins here, in a slot of its own; returns the instruction's details, or
 * NULL without memory. */
struct tg_inst_scope *tg_lower_scope(tg_lowerer *l, const tg_op *op, tg_value_id ref);

/* The memory of such refs ends here. */
void tg_lower_scope_end(tg_lowerer *l, const tg_op *op, struct tg_inst_scope *scope);

void tg_lower_op_view(tg_lowerer *l, const tg_op *op);
void tg_lower_op_recast(tg_lowerer *l, const tg_op *op);
void tg_lower_op_part(tg_lowerer *l, const tg_op *op);
void tg_lower_op_alloc(tg_lowerer *l, const tg_op *op);

#endif
