/* Lowers references: views, and memory that lives in a region. */
#ifndef TG_LOWER_REFS_H
#define TG_LOWER_REFS_H

#include "lower/impl.h"

/* Emits the begin of a ref's memory, in its own slot.  Returns the details of the instruction, or
 * NULL if memory runs out. */
struct tg_inst_scope *tg_lower_scope(tg_lowerer *l, const tg_op *op, tg_value_id ref);

/* Emits the end of such memory. */
void tg_lower_scope_end(tg_lowerer *l, const tg_op *op, struct tg_inst_scope *scope);

void tg_lower_op_view(tg_lowerer *l, const tg_op *op);
void tg_lower_op_recast(tg_lowerer *l, const tg_op *op);
void tg_lower_op_tensor(tg_lowerer *l, const tg_op *op);
void tg_lower_op_part(tg_lowerer *l, const tg_op *op);
void tg_lower_op_alloc(tg_lowerer *l, const tg_op *op);

#endif
