/* Creates nodes for values that are ready (leaves) or pending, and assigns nodes to the values of
 * the kernel. */
#ifndef TG_LOWER_NODES_H
#define TG_LOWER_NODES_H

#include "lower/impl.h"

tg_node_id tg_lower_leaf(tg_lowerer *l, const tg_type *type, tg_operand at, uint32_t uses);
tg_node_id tg_lower_pending(tg_lowerer *l, const tg_node *node, const tg_node_id *in);

/* Give the value a fresh dense slot, which the next instruction fills.  The number of its uses is
 * that of the value, or `uses`. */
tg_operand tg_lower_result(tg_lowerer *l, tg_value_id v);
tg_operand tg_lower_fresh(tg_lowerer *l, tg_value_id v, uint32_t uses);

/* Makes `at` the operand of the value. */
void tg_lower_set_value(tg_lowerer *l, tg_value_id v, tg_operand at);

/* Makes the node the result of the op. */
void tg_lower_set_node(tg_lowerer *l, const tg_op *op, tg_node_id node);

/* Makes the result of the op the node of its operand. */
void tg_lower_forward(tg_lowerer *l, const tg_op *op);

/* Returns `node` converted to `dtype`, pending; the node itself if it has that dtype. */
tg_node_id tg_lower_convert(tg_lowerer *l, tg_node_id node, tg_dtype dtype, uint32_t loc);

/* Broadcasts one element, given in its carrier, to a block of `type`. */
tg_node_id tg_lower_splat(tg_lowerer *l, const tg_type *type, const void *carrier);

#endif
