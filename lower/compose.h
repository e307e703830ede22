/* Builds what one op means from several element-wise nodes. */
#ifndef TG_LOWER_COMPOSE_H
#define TG_LOWER_COMPOSE_H

#include "lower/impl.h"

/* An element-wise op on nodes of one shape, with the dtypes of the last of them and of the result.
 */
tg_node_id tg_lower_lane(tg_lowerer *l, const tg_op *op, tg_opcode code, tg_dtype result,
                         const tg_node_id *in, uint32_t in_count);
tg_node_id tg_lower_lane_2(tg_lowerer *l, const tg_op *op, tg_opcode code, tg_dtype result,
                           tg_node_id a, tg_node_id b);

/* `yes` where `which`, of bools, is true, else `no`. */
tg_node_id tg_lower_choose(tg_lowerer *l, const tg_op *op, tg_node_id which, tg_node_id no,
                           tg_node_id yes);

tg_node_id tg_lower_is_nan(tg_lowerer *l, const tg_op *op, tg_node_id a);

/* Broadcasts one number to a block of a float type, in its carrier, which is f32 for narrow
 * dtypes. */
tg_node_id tg_lower_splat_float(tg_lowerer *l, const tg_type *type, double value);

/* Operand `i` in the shape of the op's result. */
tg_node_id tg_lower_operand_node(tg_lowerer *l, const tg_op *op, uint32_t i);

#endif
