/* Reductions and scans. */
#ifndef TG_LOWER_REDUCE_H
#define TG_LOWER_REDUCE_H

#include "lower/impl.h"

/* Reduces or scans a node by `code`, with the attributes and the shapes of `op`.  Returns the
 * result. */
tg_node_id tg_lower_reduction(tg_lowerer *l, const tg_op *op, tg_opcode code, tg_node_id node);

void tg_lower_op_reduce(tg_lowerer *l, const tg_op *op);
void tg_lower_op_arg_reduce(tg_lowerer *l, const tg_op *op);
void tg_lower_op_scan(tg_lowerer *l, const tg_op *op);

#endif
