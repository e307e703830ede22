#include "lower/elementwise.h"

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"

/* Makes the op a pending node; the caller sets op, dtype, second and imm of `node`. */
static void add_node(tg_lowerer *l, const tg_op *op, tg_node node)
{
    const tg_type *result = tg_type_of(l->kernel, op->out[0]);
    if (op->in_count > TG_MAX_OP_INPUTS) {
        tg_lower_fail(l, TG_ERR_UNSUPPORTED, op, "more than %d operands", TG_MAX_OP_INPUTS);
        return;
    }
    node.type = *result;
    node.op = op->code;
    node.loc = op->loc;
    node.in_count = op->in_count;
    node.uses = l->value_uses[op->out[0]];
    tg_node_id in[TG_MAX_OP_INPUTS];
    for (uint32_t i = 0; i < op->in_count; i++)
        in[i] = tg_lower_as_shape(l, l->value_node[op->in[i]], result->rank, result->shape);
    l->value_node[op->out[0]] = tg_lower_pending(l, &node, in);
}

static tg_dtype dtype_of(const tg_lowerer *l, tg_value_id v)
{
    return tg_type_of(l->kernel, v)->dtype;
}

static void add_with(tg_lowerer *l, const tg_op *op, int64_t imm)
{
    add_node(
        l, op,
        (tg_node){.dtype = dtype_of(l, op->in[0]), .second = dtype_of(l, op->out[0]), .imm = imm});
}

void tg_lower_op_elementwise(tg_lowerer *l, const tg_op *op) { add_with(l, op, 0); }

void tg_lower_op_retype(tg_lowerer *l, const tg_op *op)
{
    if (dtype_of(l, op->in[0]) == dtype_of(l, op->out[0]))
        tg_lower_forward(l, op);
    else
        add_with(l, op, 0);
}

void tg_lower_op_select(tg_lowerer *l, const tg_op *op)
{
    tg_node node = {.dtype = dtype_of(l, op->in[1]), .second = dtype_of(l, op->in[0])};
    node.imm = op->in_count - 1;
    add_node(l, op, node);
}

void tg_lower_op_pow(tg_lowerer *l, const tg_op *op)
{
    add_node(l, op, (tg_node){.dtype = dtype_of(l, op->in[0]), .second = dtype_of(l, op->in[1])});
}

void tg_lower_op_integer_pow(tg_lowerer *l, const tg_op *op)
{
    add_with(l, op, tg_op_int(op, TG_ATTR_exponent, 1));
}

void tg_lower_op_reduce_precision(tg_lowerer *l, const tg_op *op)
{
    add_with(l, op,
             tg_op_int(op, TG_ATTR_exponent_bits, 0) << 8 |
                 tg_op_int(op, TG_ATTR_mantissa_bits, 0));
}

void tg_lower_op_round(tg_lowerer *l, const tg_op *op)
{
    add_with(l, op, tg_op_int(op, TG_ATTR_rounding, 0));
}
