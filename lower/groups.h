/* Builds groups: when an instruction needs a pending value, all pending nodes that the value
 * depends on and that have its shape become one group. */
#ifndef TG_LOWER_GROUPS_H
#define TG_LOWER_GROUPS_H

#include "lower/impl.h"

/* Makes nodes ready; nodes of the same shape share a group.  If dest[i] is not NULL and nodes[i] is
 * pending, it is computed into that operand.  `dest` itself may be NULL. */
void tg_lower_ready(tg_lowerer *l, const tg_node_id *nodes, uint32_t count,
                    const tg_operand *const *dest);

/* Make a node, or the node of a value, ready and return its operand. */
tg_operand tg_lower_at(tg_lowerer *l, tg_node_id node);
tg_operand tg_lower_operand(tg_lowerer *l, tg_value_id v);

/* Returns the node broadcast to `shape` (numpy's rule); the node itself if it has that shape
 * already. */
tg_node_id tg_lower_as_shape(tg_lowerer *l, tg_node_id node, int rank, const int64_t *shape);

#endif
