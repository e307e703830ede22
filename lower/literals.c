#include "lower/literals.h"

#include <string.h>

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"
#include "lower/operands.h"

void tg_lower_op_constant(tg_lowerer *l, const tg_op *op)
{
    const tg_type *type = tg_type_of(l->kernel, op->out[0]);
    const tg_data *data = &tg_op_attr(op, TG_ATTR_value)->as.data;
    tg_operand at =
        tg_lower_dense(tg_lower_constant(l, type->dtype, data->count, data->bytes), type);
    if (data->count == 1) memset(at.stride, 0, sizeof at.stride);
    tg_lower_set_value(l, op->out[0], at);
}

/* One row of indices, shown along the axis: i32 as a constant, other dtypes converted from i64. */
void tg_lower_op_iota(tg_lowerer *l, const tg_op *op)
{
    const tg_type *type = tg_type_of(l->kernel, op->out[0]);
    int axis = (int)tg_op_int(op, TG_ATTR_axis, 0);
    bool is_i32 = type->dtype == TG_DT_i32;
    tg_type row = {
        .dtype = is_i32 ? TG_DT_i32 : TG_DT_i64, .rank = 1, .shape = {type->shape[axis]}};
    int64_t *wide = tg_lower_take(l, (size_t)row.shape[0], sizeof *wide);
    int32_t *narrow = tg_lower_take(l, (size_t)row.shape[0], sizeof *narrow);
    if (l->failed) return;
    for (int64_t i = 0; i < row.shape[0]; i++) narrow[i] = (int32_t)(wide[i] = i);
    const void *bytes = is_i32 ? (const void *)narrow : wide;
    tg_slot_id slot = tg_lower_constant(l, row.dtype, row.shape[0], bytes);
    tg_node_id node = tg_lower_leaf(l, &row, tg_lower_dense(slot, &row), 1);
    tg_operand from = tg_lower_at(l, tg_lower_convert(l, node, type->dtype, op->loc));
    tg_operand to = tg_operand_reshaped(&from, type);
    for (int v = 0; v < TG_STORAGE_COUNT; v++) to.stride[v][axis] = from.stride[v][0];
    tg_lower_set_value(l, op->out[0], to);
}

void tg_lower_op_undefined(tg_lowerer *l, const tg_op *op)
{
    const tg_type *type = tg_type_of(l->kernel, op->out[0]);
    tg_operand at = tg_lower_dense(tg_lower_undefined(l, type->dtype), type);
    memset(at.stride, 0, sizeof at.stride);
    tg_lower_set_value(l, op->out[0], at);
}
