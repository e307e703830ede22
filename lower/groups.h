/* Groups: when an instruction wants a pending value, everything pending that it depends on, and
 * that has its shape, becomes one group. */
#ifndef TG_LOWER_GROUPS_H
#define TG_LOWER_GROUPS_H

#include "lower/impl.h"

/* Makes nodes ready; those that share a shape share a group.  dest[i], where not NULL, is the
 * operand that a pending node i is computed into. */
void tg_lower_ready(tg_lowerer *l, const tg_node_id *nodes, uint32_t count,
                    const tg_operand *const *dest);

/* The operand of a node, or of a value, made ready. */
tg_operand tg_lower_at(tg_lowerer *l, tg_node_id node);
tg_operand tg_lower_operand(tg_lowerer *l, tg_value_id v);

/* The node broadcast to `shape` (numpy's rule), itself if it has that shape already. */
tg_node_id tg_lower_as_shape(tg_lowerer *l, tg_node_id node, int rank, const int64_t *shape);

#endif
