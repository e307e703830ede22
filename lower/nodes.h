/* Nodes: the making of values that are at hand or pending, and which node a value of the kernel
 * is. */
#ifndef TG_LOWER_NODES_H
#define TG_LOWER_NODES_H

#include "lower/impl.h"

tg_node_id tg_lower_leaf(tg_lowerer *l, const tg_type *type, tg_operand at, uint32_t uses);
tg_node_id tg_lower_pending(tg_lowerer *l, const tg_node *node, const tg_node_id *in);

/* Gives the value a fresh dense slot, for the next instruction to fill; as many will use it as of
 * the value, or `uses`. */
tg_operand tg_lower_result(tg_lowerer *l, tg_value_id v);
tg_operand tg_lower_fresh(tg_lowerer *l, tg_value_id v, uint32_t uses);

/* The value is what `at` shows. */
void tg_lower_set_value(tg_lowerer *l, tg_value_id v, tg_operand at);

/* The node becomes the value of the op. */
void tg_lower_set_node(tg_lowerer *l, const tg_op *op, tg_node_id node);

/* The value of the op is that of its operand: no node of its own. */
void tg_lower_forward(tg_lowerer *l, const tg_op *op);

/* `node` converted to `dtype`, pending. */
tg_node_id tg_lower_convert(tg_lowerer *l, tg_node_id node, tg_dtype dtype, uint32_t loc);

/* One element, given in its carrier, shown as a block of `type`. */
tg_node_id tg_lower_splat(tg_lowerer *l, const tg_type *type, const void *carrier);

#endif
