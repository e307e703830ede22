#include "lower/shape.h"

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"
#include "lower/operands.h"

void tg_lower_op_broadcast(tg_lowerer *l, const tg_op *op)
{
    tg_operand from = tg_lower_operand(l, op->in[0]);
    tg_operand to = tg_operand_reshaped(&from, tg_type_of(l->kernel, op->out[0]));
    const int64_t *dims = tg_op_attr(op, TG_ATTR_dims)->as.ints;
    for (int d = 0; d < from.rank; d++)
        for (int v = 0; v < TG_STORAGE_COUNT; v++)
            if (from.shape[d] != 1 || to.shape[dims[d]] == 1)
                to.stride[v][dims[d]] = from.stride[v][d];
    tg_lower_set_value(l, op->out[0], to);
}

void tg_lower_op_reshape(tg_lowerer *l, const tg_op *op)
{
    tg_operand from = tg_lower_operand(l, op->in[0]);
    tg_lower_set_value(l, op->out[0],
                       tg_lower_reshape(l, from, tg_type_of(l->kernel, op->out[0]), op));
}

void tg_lower_op_transpose(tg_lowerer *l, const tg_op *op)
{
    tg_operand from = tg_lower_operand(l, op->in[0]);
    tg_operand to = tg_operand_reshaped(&from, tg_type_of(l->kernel, op->out[0]));
    const int64_t *permutation = tg_op_attr(op, TG_ATTR_permutation)->as.ints;
    for (int d = 0; d < to.rank; d++)
        for (int v = 0; v < TG_STORAGE_COUNT; v++) to.stride[v][d] = from.stride[v][permutation[d]];
    tg_lower_set_value(l, op->out[0], to);
}

void tg_lower_op_rev(tg_lowerer *l, const tg_op *op)
{
    tg_operand at = tg_lower_operand(l, op->in[0]);
    const tg_attr *axes = tg_op_attr(op, TG_ATTR_axes);
    for (int64_t i = 0; i < axes->count; i++) {
        int64_t d = axes->as.ints[i];
        if (at.shape[d] == 0) continue;
        for (int v = 0; v < TG_STORAGE_COUNT; v++) {
            at.offset[v] += (at.shape[d] - 1) * at.stride[v][d];
            at.stride[v][d] = -at.stride[v][d];
        }
    }
    tg_lower_set_value(l, op->out[0], at);
}

void tg_lower_op_slice(tg_lowerer *l, const tg_op *op)
{
    tg_operand from = tg_lower_operand(l, op->in[0]);
    tg_lower_set_value(l, op->out[0],
                       tg_operand_part(&from, tg_type_of(l->kernel, op->out[0]),
                                       tg_op_attr(op, TG_ATTR_start)->as.ints,
                                       tg_op_attr(op, TG_ATTR_stride)->as.ints));
}

static tg_operand make_dense(tg_lowerer *l, tg_operand from, const tg_type *type, const tg_op *op)
{
    tg_operand to = tg_lower_dense(tg_lower_slot(l, type->dtype, tg_type_count(type)), type);
    tg_lower_copy(l, to, from, op);
    return to;
}

/* Values are held logically: where their elements are in registers matters to no instruction. */
void tg_lower_op_layout_cast(tg_lowerer *l, const tg_op *op) { tg_lower_forward(l, op); }

/* Whether both are ints of the same width, and no carrier has that width. */
static bool are_narrow_ints(tg_dtype a, tg_dtype b)
{
    return tg_is_int(a) && tg_is_int(b) && !tg_is_native(a) &&
           tg_dtypes[a].bits == tg_dtypes[b].bits;
}

void tg_lower_op_bitcast(tg_lowerer *l, const tg_op *op)
{
    const tg_type *from_type = tg_type_of(l->kernel, op->in[0]);
    const tg_type *to_type = tg_type_of(l->kernel, op->out[0]);
    if (are_narrow_ints(from_type->dtype, to_type->dtype)) { /* wrapping keeps the bits */
        tg_node_id same = tg_lower_convert(l, l->value_node[op->in[0]], to_type->dtype, op->loc);
        l->nodes[same].uses += l->value_uses[op->out[0]];
        l->value_node[op->out[0]] = same;
        return;
    }
    tg_operand from = tg_lower_operand(l, op->in[0]);
    if (tg_is_native(from_type->dtype) && tg_is_native(to_type->dtype) &&
        tg_dtypes[from_type->dtype].bytes == tg_dtypes[to_type->dtype].bytes) {
        from.dtype = to_type->dtype;
        tg_lower_set_value(l, op->out[0], from);
        return;
    }
    struct tg_inst_bitcast *cast = tg_lower_take(l, 1, sizeof *cast);
    if (!cast) return;
    cast->in = make_dense(l, from, from_type, op);
    cast->out = tg_lower_result(l, op->out[0]);
    tg_lower_emit(l, TG_I_BITCAST, op->code, op->loc)->as.bitcast = cast;
}
