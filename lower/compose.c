#include "lower/compose.h"

#include "lower/groups.h"
#include "lower/nodes.h"

tg_node_id tg_lower_lane(tg_lowerer *l, const tg_op *op, tg_opcode code, tg_dtype result,
                         const tg_node_id *in, uint32_t in_count)
{
    const tg_node *lead = &l->nodes[in[in_count - 1]];
    tg_node node = {.type = lead->type,
                    .op = code,
                    .dtype = lead->type.dtype,
                    .second = result,
                    .loc = op->loc,
                    .in_count = in_count,
                    .uses = 1};
    node.type.dtype = result;
    return tg_lower_pending(l, &node, in);
}

tg_node_id tg_lower_lane_2(tg_lowerer *l, const tg_op *op, tg_opcode code, tg_dtype result,
                           tg_node_id a, tg_node_id b)
{
    return tg_lower_lane(l, op, code, result, (tg_node_id[]){a, b}, 2);
}

tg_node_id tg_lower_choose(tg_lowerer *l, const tg_op *op, tg_node_id which, tg_node_id no,
                           tg_node_id yes)
{
    tg_node node = {.type = l->nodes[yes].type,
                    .op = TG_OP_select,
                    .dtype = l->nodes[yes].type.dtype,
                    .second = TG_DT_bool,
                    .imm = 2,
                    .loc = op->loc,
                    .in_count = 3,
                    .uses = 1};
    return tg_lower_pending(l, &node, (tg_node_id[]){which, no, yes});
}

tg_node_id tg_lower_is_nan(tg_lowerer *l, const tg_op *op, tg_node_id a)
{
    return tg_lower_lane_2(l, op, TG_OP_ne, TG_DT_bool, a, a);
}

tg_node_id tg_lower_splat_float(tg_lowerer *l, const tg_type *type, double value)
{
    float narrow = (float)value;
    return tg_lower_splat(l, type,
                          tg_carrier_of(type->dtype) == TG_C_f64 ? (const void *)&value : &narrow);
}

tg_node_id tg_lower_operand_node(tg_lowerer *l, const tg_op *op, uint32_t i)
{
    const tg_type *shape = tg_type_of(l->kernel, op->out[0]);
    return tg_lower_as_shape(l, l->value_node[op->in[i]], shape->rank, shape->shape);
}
