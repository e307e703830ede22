#include "lower/reduce.h"

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"

static void emit_reduce(tg_lowerer *l, const tg_op *op, tg_inst_kind kind, tg_opcode code,
                        tg_operand in, tg_operand out)
{
    struct tg_inst_reduce *reduce = tg_lower_take(l, 1, sizeof *reduce);
    if (!reduce) return;
    const tg_attr *axes = tg_op_attr(op, TG_ATTR_axes);
    reduce->axis = (int)tg_op_int(op, TG_ATTR_axis, 0);
    reduce->reverse = tg_op_int(op, TG_ATTR_reverse, 0) != 0;
    for (int64_t i = 0; axes && i < axes->count; i++) reduce->axes |= 1U << axes->as.ints[i];
    reduce->in = in;
    reduce->out = out;
    tg_lower_emit(l, kind, code, op->loc)->as.reduce = reduce;
}

static void reduce_as(tg_lowerer *l, const tg_op *op, tg_inst_kind kind)
{
    tg_operand in = tg_lower_operand(l, op->in[0]);
    emit_reduce(l, op, kind, op->code, in, tg_lower_result(l, op->out[0]));
}

void tg_lower_op_reduce(tg_lowerer *l, const tg_op *op) { reduce_as(l, op, TG_I_REDUCE); }
void tg_lower_op_arg_reduce(tg_lowerer *l, const tg_op *op) { reduce_as(l, op, TG_I_ARG_REDUCE); }
void tg_lower_op_scan(tg_lowerer *l, const tg_op *op) { reduce_as(l, op, TG_I_SCAN); }

tg_node_id tg_lower_reduction(tg_lowerer *l, const tg_op *op, tg_opcode code, tg_node_id node)
{
    tg_type type = *tg_type_of(l->kernel, op->out[0]);
    type.dtype = l->nodes[node].type.dtype;
    tg_operand in = tg_lower_at(l, node);
    tg_operand out = tg_lower_dense(tg_lower_slot(l, type.dtype, tg_type_count(&type)), &type);
    bool is_scan = tg_ops[code].rule == TG_RULE_SCAN;
    emit_reduce(l, op, is_scan ? TG_I_SCAN : TG_I_REDUCE, code, in, out);
    return tg_lower_leaf(l, &type, out, 1);
}
