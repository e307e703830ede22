#include "lower/gather.h"

#include <string.h>

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"
#include "lower/operands.h"

/* Broadcasts one number to a block of `type`, whose elements have 32 or 64 bits. */
static tg_node_id splat(tg_lowerer *l, const tg_type *type, int64_t value)
{
    uint32_t narrow = (uint32_t)value;
    const void *bytes = tg_dtypes[type->dtype].bits == 64 ? (const void *)&value : &narrow;
    return tg_lower_splat(l, type, bytes);
}

/* Returns the indices as i32.  Those that do not fit become the least or greatest i32, which is
 * outside of the array as well. */
static tg_node_id narrow_indices(tg_lowerer *l, tg_value_id indices, uint32_t loc)
{
    tg_node_id id = l->value_node[indices];
    tg_type type = l->nodes[id].type;
    if (tg_dtypes[type.dtype].bits == 64 || type.dtype == TG_DT_u32) {
        int64_t least = tg_is_signed(type.dtype) ? INT32_MIN : 0;
        tg_node_id in[] = {splat(l, &type, least), id, splat(l, &type, INT32_MAX)};
        tg_node clamp = {.type = type,
                         .op = TG_OP_clamp,
                         .dtype = type.dtype,
                         .second = type.dtype,
                         .loc = loc,
                         .in_count = 3,
                         .uses = 1};
        id = tg_lower_pending(l, &clamp, in);
    }
    return tg_lower_convert(l, id, TG_DT_i32, loc);
}

void tg_lower_op_gather(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_gather *gather = tg_lower_take(l, 1, sizeof *gather);
    if (!gather) return;
    const tg_attr *fill = tg_op_attr(op, TG_ATTR_fill);
    gather->op = op;
    gather->result = *tg_type_of(l->kernel, op->out[0]);
    gather->in = tg_lower_operand(l, op->in[0]);
    gather->indices = tg_lower_at(l, narrow_indices(l, op->in[1], op->loc));
    gather->out = tg_lower_result(l, op->out[0]);
    gather->fills = tg_op_int(op, TG_ATTR_mode, 0) == tg_attr_name_index(TG_ATTR_mode, "fill");
    gather->has_fill_value = fill != NULL;
    if (fill)
        memcpy(&gather->fill, fill->as.data.bytes,
               tg_carrier_bytes[tg_carrier_of(gather->result.dtype)]);
    tg_lower_emit(l, TG_I_GATHER, op->code, op->loc)->as.gather = gather;
}

/* Returns the op that `combine` names, from a table in the order of the spellings. */
static tg_opcode combining_op(const tg_op *op)
{
    static const tg_opcode ops[] = {TG_OP_COUNT, TG_OP_add, TG_OP_sub,
                                    TG_OP_mul,   TG_OP_min, TG_OP_max};
    return ops[tg_op_int(op, TG_ATTR_combine, 0)];
}

void tg_lower_op_scatter(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_scatter *scatter = tg_lower_take(l, 1, sizeof *scatter);
    if (!scatter) return;
    tg_operand from = tg_lower_operand(l, op->in[0]);
    scatter->op = op;
    scatter->indices = tg_lower_at(l, narrow_indices(l, op->in[1], op->loc));
    scatter->updates = tg_lower_operand(l, op->in[2]);
    scatter->combine = combining_op(op);
    scatter->clamps = tg_op_int(op, TG_ATTR_mode, 0) == tg_attr_name_index(TG_ATTR_mode, "clip");
    scatter->out = tg_lower_result(l, op->out[0]);
    tg_lower_copy(l, scatter->out, from, op);
    tg_lower_emit(l, TG_I_SCATTER, op->code, op->loc)->as.scatter = scatter;
}
