#include "lower/moves.h"

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"
#include "lower/operands.h"

void tg_lower_op_concatenate(tg_lowerer *l, const tg_op *op)
{
    tg_operand whole = tg_lower_result(l, op->out[0]);
    int axis = (int)tg_op_int(op, TG_ATTR_axis, 0);
    int64_t start[TG_MAX_RANK] = {0};
    for (uint32_t i = 0; i < op->in_count; i++) {
        const tg_type *type = tg_type_of(l->kernel, op->in[i]);
        tg_operand from = tg_lower_operand(l, op->in[i]);
        tg_lower_copy(l, tg_operand_part(&whole, type, start, NULL), from, op);
        start[axis] += type->shape[axis];
    }
}

void tg_lower_op_tile(tg_lowerer *l, const tg_op *op)
{
    tg_type type = *tg_type_of(l->kernel, op->in[0]);
    tg_operand from = tg_lower_operand(l, op->in[0]);
    const int64_t *reps = tg_op_attr(op, TG_ATTR_reps)->as.ints;
    for (int d = 0; d < type.rank; d++) {
        if (reps[d] == 1) continue;
        tg_type wide = type;
        wide.shape[d] *= reps[d];
        tg_slot_id slot = tg_lower_slot(l, type.dtype, tg_type_count(&wide));
        tg_operand whole = tg_lower_dense(slot, &wide);
        int64_t start[TG_MAX_RANK] = {0};
        for (int64_t r = 0; r < reps[d]; r++, start[d] += type.shape[d])
            tg_lower_copy(l, tg_operand_part(&whole, &type, start, NULL), from, op);
        type = wide;
        from = whole;
    }
    tg_lower_set_value(l, op->out[0], from);
}

/* Computes, along one dimension, which elements of the operand are inside the result, and where. */
static void pad_range(int64_t extent, int64_t result, int64_t low, int64_t step, int64_t *first,
                      int64_t *count)
{
    *first = low >= 0 ? 0 : (-low + step - 1) / step;
    int64_t last = result - 1 - low < 0 ? -1 : (result - 1 - low) / step;
    if (last > extent - 1) last = extent - 1;
    *count = last < *first ? 0 : last - *first + 1;
}

void tg_lower_op_pad(tg_lowerer *l, const tg_op *op)
{
    const tg_type *result = tg_type_of(l->kernel, op->out[0]);
    tg_type type = *tg_type_of(l->kernel, op->in[0]);
    const int64_t *low = tg_op_attr(op, TG_ATTR_low)->as.ints;
    const int64_t *interior = tg_op_attr(op, TG_ATTR_interior)->as.ints;
    int64_t first[TG_MAX_RANK], start[TG_MAX_RANK], step[TG_MAX_RANK];
    tg_operand from = tg_lower_operand(l, op->in[0]);
    tg_node_id fill = tg_lower_as_shape(l, l->value_node[op->in[1]], result->rank, result->shape);
    tg_operand with = tg_lower_at(l, fill);
    tg_operand whole = tg_lower_result(l, op->out[0]);
    for (int d = 0; d < type.rank; d++) {
        step[d] = interior[d] + 1;
        pad_range(type.shape[d], result->shape[d], low[d], step[d], &first[d], &type.shape[d]);
        start[d] = low[d] + first[d] * step[d];
    }
    tg_lower_copy(l, whole, with, op);
    if (tg_type_count(&type) == 0) return;
    tg_lower_copy(l, tg_operand_part(&whole, &type, start, step),
                  tg_operand_part(&from, &type, first, NULL), op);
}

void tg_lower_op_dynamic(tg_lowerer *l, const tg_op *op)
{
    bool is_update = op->code == TG_OP_dynamic_update_slice;
    int rank = tg_type_of(l->kernel, op->in[0])->rank;
    struct tg_inst_dynamic *dynamic = tg_lower_take(l, 1, sizeof *dynamic);
    if (!dynamic) return;
    dynamic->is_update = is_update;
    dynamic->starts = tg_lower_take(l, (size_t)rank, sizeof *dynamic->starts);
    if (l->failed) return;
    for (int d = 0; d < rank; d++)
        dynamic->starts[d] = tg_lower_operand(l, op->in[1 + is_update + d]);
    tg_operand from = tg_lower_operand(l, op->in[0]);
    if (is_update) dynamic->part = tg_lower_operand(l, op->in[1]);
    tg_operand result = tg_lower_result(l, op->out[0]);
    if (is_update) tg_lower_copy(l, result, from, op);
    dynamic->whole = is_update ? result : from;
    if (!is_update) dynamic->part = result;
    tg_lower_emit(l, TG_I_DYNAMIC, op->code, op->loc)->as.dynamic = dynamic;
}

void tg_lower_op_sort(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_sort *sort = tg_lower_take(l, 1, sizeof *sort);
    if (!sort) return;
    const tg_type *type = tg_type_of(l->kernel, op->in[0]);
    sort->axis = (int)tg_op_int(op, TG_ATTR_axis, 0);
    sort->keys = (uint32_t)tg_op_int(op, TG_ATTR_keys, 1);
    sort->descending = tg_op_int(op, TG_ATTR_descending, 0) != 0;
    sort->total = tg_op_int(op, TG_ATTR_total, 0) != 0;
    sort->count = op->in_count;
    sort->in = tg_lower_take(l, op->in_count, sizeof *sort->in);
    sort->out = tg_lower_take(l, op->in_count, sizeof *sort->out);
    if (type->shape[sort->axis] > UINT32_MAX)
        tg_lower_fail(l, TG_ERR_UNSUPPORTED, op, "more than 2^32 - 1 elements along the axis");
    if (l->failed) return;
    for (uint32_t i = 0; i < op->in_count; i++) sort->in[i] = tg_lower_operand(l, op->in[i]);
    for (uint32_t i = 0; i < op->in_count; i++) sort->out[i] = tg_lower_result(l, op->out[i]);
    tg_lower_emit(l, TG_I_SORT, op->code, op->loc)->as.sort = sort;
}
