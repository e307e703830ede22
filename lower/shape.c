/* Ops that only move elements: views where strides can say it, copies where not. */
#include <string.h>

#include "lower/impl.h"

void tg_lower_copy(tg_lowerer *l, tg_operand to, tg_operand from, const tg_op *op)
{
    struct tg_inst_copy *copy = tg_lower_take(l, 1, sizeof *copy);
    copy->to = to;
    copy->from = from;
    tg_lower_emit(l, TG_I_COPY, op->code, op->loc)->as.copy = copy;
}

static void set_view(tg_lowerer *l, const tg_op *op, tg_operand at)
{
    tg_value_id v = op->out[0];
    l->value_node[v] = tg_lower_leaf(l, tg_type_of(l->kernel, v), at, l->value_uses[v]);
}

/* `from` with the rank and shape of `type` and no strides yet. */
static tg_operand reshaped(const tg_operand *from, const tg_type *type)
{
    tg_operand to = *from;
    to.rank = type->rank;
    to.dtype = type->dtype;
    memset(to.shape, 0, sizeof to.shape);
    memset(to.stride, 0, sizeof to.stride);
    memcpy(to.shape, type->shape, (size_t)type->rank * sizeof to.shape[0]);
    return to;
}

/* ---- reshape ---- */

tg_operand tg_lower_reshape(tg_lowerer *l, tg_operand from, const tg_type *type, const tg_op *op)
{
    tg_operand to = reshaped(&from, type);
    if (tg_type_count(type) == 0) return to;
    bool fits = true;
    for (int v = 0; v < TG_LAYOUT_COUNT && fits; v++)
        if (v == TG_LAYOUT_DENSE || l->plan->slots[from.slot].has_memory)
            fits = tg_reshape_strides(from.rank, from.shape, from.stride[v], to.rank, to.shape,
                                      to.stride[v]);
    if (fits) return to;
    tg_type shape = {.dtype = from.dtype, .rank = from.rank};
    memcpy(shape.shape, from.shape, sizeof shape.shape);
    tg_slot_id slot = tg_lower_slot(l, from.dtype, tg_type_count(type));
    tg_lower_copy(l, tg_lower_dense(slot, &shape), from, op);
    return tg_lower_dense(slot, type);
}

bool tg_operand_merges(const tg_operand *o, int first, int count, int64_t stride[TG_LAYOUT_COUNT])
{
    for (int v = 0; v < TG_LAYOUT_COUNT; v++) {
        int64_t extent = 1;
        stride[v] = 0;
        for (int d = first + count - 1; d >= first; d--) {
            if (o->shape[d] == 1) continue;
            if (extent == 1)
                stride[v] = o->stride[v][d];
            else if (o->stride[v][d] != stride[v] * extent)
                return false;
            extent *= o->shape[d];
        }
    }
    return true;
}

/* ---- views ---- */

static void lower_broadcast(tg_lowerer *l, const tg_op *op)
{
    tg_operand from = tg_lower_operand(l, op->in[0]);
    tg_operand to = reshaped(&from, tg_type_of(l->kernel, op->out[0]));
    const int64_t *dims = tg_op_attr(op, TG_ATTR_dims)->as.ints;
    for (int d = 0; d < from.rank; d++)
        for (int v = 0; v < TG_LAYOUT_COUNT; v++)
            if (from.shape[d] != 1 || to.shape[dims[d]] == 1)
                to.stride[v][dims[d]] = from.stride[v][d];
    set_view(l, op, to);
}

static void lower_transpose(tg_lowerer *l, const tg_op *op)
{
    tg_operand from = tg_lower_operand(l, op->in[0]);
    tg_operand to = reshaped(&from, tg_type_of(l->kernel, op->out[0]));
    const int64_t *permutation = tg_op_attr(op, TG_ATTR_permutation)->as.ints;
    for (int d = 0; d < to.rank; d++)
        for (int v = 0; v < TG_LAYOUT_COUNT; v++) to.stride[v][d] = from.stride[v][permutation[d]];
    set_view(l, op, to);
}

static void lower_rev(tg_lowerer *l, const tg_op *op)
{
    tg_operand at = tg_lower_operand(l, op->in[0]);
    const tg_attr *axes = tg_op_attr(op, TG_ATTR_axes);
    for (int64_t i = 0; i < axes->count; i++) {
        int64_t d = axes->as.ints[i];
        if (at.shape[d] == 0) continue;
        for (int v = 0; v < TG_LAYOUT_COUNT; v++) {
            at.offset[v] += (at.shape[d] - 1) * at.stride[v][d];
            at.stride[v][d] = -at.stride[v][d];
        }
    }
    set_view(l, op, at);
}

/* The part of `from` with `type`'s shape that starts at `start` and takes every stride-th element. */
static tg_operand part_of(const tg_operand *from, const tg_type *type, const int64_t *start,
                          const int64_t *stride)
{
    tg_operand to = reshaped(from, type);
    for (int d = 0; d < to.rank; d++)
        for (int v = 0; v < TG_LAYOUT_COUNT; v++) {
            to.offset[v] += start[d] * from->stride[v][d];
            to.stride[v][d] = from->stride[v][d] * (stride ? stride[d] : 1);
        }
    return to;
}

static void lower_slice(tg_lowerer *l, const tg_op *op)
{
    tg_operand from = tg_lower_operand(l, op->in[0]);
    set_view(l, op,
             part_of(&from, tg_type_of(l->kernel, op->out[0]),
                     tg_op_attr(op, TG_ATTR_start)->as.ints,
                     tg_op_attr(op, TG_ATTR_stride)->as.ints));
}

static void lower_constant(tg_lowerer *l, const tg_op *op)
{
    const tg_type *type = tg_type_of(l->kernel, op->out[0]);
    const tg_data *data = &tg_op_attr(op, TG_ATTR_value)->as.data;
    tg_operand at =
        tg_lower_dense(tg_lower_constant(l, type->dtype, data->count, data->bytes), type);
    if (data->count == 1) memset(at.stride, 0, sizeof at.stride);
    set_view(l, op, at);
}

/* One row of indices, shown along the axis: i32 as a constant, other dtypes converted from i64. */
static void lower_iota(tg_lowerer *l, const tg_op *op)
{
    const tg_type *type = tg_type_of(l->kernel, op->out[0]);
    int axis = (int)tg_op_int(op, TG_ATTR_axis, 0);
    bool is_i32 = type->dtype == TG_DT_i32;
    tg_type row = {
        .dtype = is_i32 ? TG_DT_i32 : TG_DT_i64, .rank = 1, .shape = {type->shape[axis]}};
    int64_t *wide = tg_lower_take(l, (size_t)row.shape[0], sizeof *wide);
    int32_t *narrow = tg_lower_take(l, (size_t)row.shape[0], sizeof *narrow);
    for (int64_t i = 0; i < row.shape[0]; i++) narrow[i] = (int32_t)(wide[i] = i);
    const void *bytes = is_i32 ? (const void *)narrow : wide;
    tg_slot_id slot = tg_lower_constant(l, row.dtype, row.shape[0], bytes);
    tg_node_id node = tg_lower_leaf(l, &row, tg_lower_dense(slot, &row), 1);
    tg_operand from = tg_lower_at(l, tg_lower_convert(l, node, type->dtype, op->loc));
    tg_operand to = reshaped(&from, type);
    for (int v = 0; v < TG_LAYOUT_COUNT; v++) to.stride[v][axis] = from.stride[v][0];
    set_view(l, op, to);
}

/* ---- copies ---- */

static void lower_concatenate(tg_lowerer *l, const tg_op *op)
{
    tg_operand whole = tg_lower_result(l, op->out[0]);
    int axis = (int)tg_op_int(op, TG_ATTR_axis, 0);
    int64_t start[TG_MAX_RANK] = {0};
    for (uint32_t i = 0; i < op->in_count; i++) {
        const tg_type *type = tg_type_of(l->kernel, op->in[i]);
        tg_operand from = tg_lower_operand(l, op->in[i]);
        tg_lower_copy(l, part_of(&whole, type, start, NULL), from, op);
        start[axis] += type->shape[axis];
    }
}

static void lower_tile(tg_lowerer *l, const tg_op *op)
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
            tg_lower_copy(l, part_of(&whole, &type, start, NULL), from, op);
        type = wide;
        from = whole;
    }
    set_view(l, op, from);
}

/* Along one dimension: which elements of the operand land inside the result, and where. */
static void pad_range(int64_t extent, int64_t result, int64_t low, int64_t step, int64_t *first,
                      int64_t *count)
{
    *first = low >= 0 ? 0 : (-low + step - 1) / step;
    int64_t last = result - 1 - low < 0 ? -1 : (result - 1 - low) / step;
    if (last > extent - 1) last = extent - 1;
    *count = last < *first ? 0 : last - *first + 1;
}

static void lower_pad(tg_lowerer *l, const tg_op *op)
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
    tg_lower_copy(l, part_of(&whole, &type, start, step), part_of(&from, &type, first, NULL), op);
}

static void lower_dynamic(tg_lowerer *l, const tg_op *op)
{
    bool is_update = op->code == TG_OP_dynamic_update_slice;
    int rank = tg_type_of(l->kernel, op->in[0])->rank;
    struct tg_inst_dynamic *dynamic = tg_lower_take(l, 1, sizeof *dynamic);
    dynamic->is_update = is_update;
    dynamic->starts = tg_lower_take(l, (size_t)rank, sizeof *dynamic->starts);
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

static tg_operand make_dense(tg_lowerer *l, tg_operand from, const tg_type *type, const tg_op *op)
{
    tg_operand to = tg_lower_dense(tg_lower_slot(l, type->dtype, tg_type_count(type)), type);
    tg_lower_copy(l, to, from, op);
    return to;
}

/* Whether both are ints of the same width, which has no carrier of its own. */
static bool are_narrow_ints(tg_dtype a, tg_dtype b)
{
    return tg_is_int(a) && tg_is_int(b) && !tg_is_native(a) &&
           tg_dtypes[a].bits == tg_dtypes[b].bits;
}

static void lower_bitcast(tg_lowerer *l, const tg_op *op)
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
        set_view(l, op, from);
        return;
    }
    struct tg_inst_bitcast *cast = tg_lower_take(l, 1, sizeof *cast);
    cast->in = make_dense(l, from, from_type, op);
    cast->out = tg_lower_result(l, op->out[0]);
    tg_lower_emit(l, TG_I_BITCAST, op->code, op->loc)->as.bitcast = cast;
}

/* One number shown as a block of `type`, which is 32 or 64 bits wide. */
static tg_node_id splat(tg_lowerer *l, const tg_type *type, int64_t value)
{
    uint32_t narrow = (uint32_t)value;
    const void *bytes = tg_dtypes[type->dtype].bits == 64 ? (const void *)&value : &narrow;
    return tg_lower_splat(l, type, bytes);
}

/* Indices as i32: what i32 does not hold becomes its least or greatest, which lies outside all the same. */
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

static void lower_gather(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_gather *gather = tg_lower_take(l, 1, sizeof *gather);
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

/* What `combine` names, in the order of its spellings. */
static tg_opcode combining_op(const tg_op *op)
{
    static const tg_opcode ops[] = {TG_OP_COUNT, TG_OP_add, TG_OP_sub,
                                    TG_OP_mul,   TG_OP_min, TG_OP_max};
    return ops[tg_op_int(op, TG_ATTR_combine, 0)];
}

static void lower_scatter(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_scatter *scatter = tg_lower_take(l, 1, sizeof *scatter);
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

static void lower_sort(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_sort *sort = tg_lower_take(l, 1, sizeof *sort);
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
    for (uint32_t i = 0; i < op->in_count; i++) sort->in[i] = tg_lower_operand(l, op->in[i]);
    for (uint32_t i = 0; i < op->in_count; i++) sort->out[i] = tg_lower_result(l, op->out[i]);
    tg_lower_emit(l, TG_I_SORT, op->code, op->loc)->as.sort = sort;
}

bool tg_lower_shape_op(tg_lowerer *l, const tg_op *op)
{
    switch (op->code) {
    case TG_OP_constant: lower_constant(l, op); return true;
    case TG_OP_iota: lower_iota(l, op); return true;
    case TG_OP_undefined: {
        const tg_type *type = tg_type_of(l->kernel, op->out[0]);
        tg_operand at = tg_lower_dense(tg_lower_undefined(l, type->dtype), type);
        memset(at.stride, 0, sizeof at.stride);
        set_view(l, op, at);
        return true;
    }
    case TG_OP_broadcast_in_dim: lower_broadcast(l, op); return true;
    case TG_OP_reshape: {
        tg_operand from = tg_lower_operand(l, op->in[0]);
        set_view(l, op, tg_lower_reshape(l, from, tg_type_of(l->kernel, op->out[0]), op));
        return true;
    }
    case TG_OP_transpose: lower_transpose(l, op); return true;
    case TG_OP_rev: lower_rev(l, op); return true;
    case TG_OP_slice: lower_slice(l, op); return true;
    case TG_OP_dynamic_slice:
    case TG_OP_dynamic_update_slice: lower_dynamic(l, op); return true;
    case TG_OP_concatenate: lower_concatenate(l, op); return true;
    case TG_OP_pad: lower_pad(l, op); return true;
    case TG_OP_tile: lower_tile(l, op); return true;
    case TG_OP_bitcast: lower_bitcast(l, op); return true;
    case TG_OP_gather: lower_gather(l, op); return true;
    case TG_OP_scatter: lower_scatter(l, op); return true;
    case TG_OP_sort: lower_sort(l, op); return true;
    default: return false;
    }
}
