#include "lower/access.h"

#include <string.h>

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/index.h"
#include "lower/nodes.h"

/* Sets which dimensions of the result belong to the positions, and which to each slice. */
static void place_dims(tg_access_plan *a, const tg_type *positions)
{
    int first = -1, last = -1, slices = 0;
    bool contiguous = true;
    a->position_rank = positions->rank;
    for (int d = 0; d < a->rank; d++) {
        if (a->dims[d].kind != TG_INDEX_AT) continue;
        if (first < 0)
            first = d;
        else if (last != d - 1)
            contiguous = false;
        last = d;
    }
    a->position_first = contiguous && first > 0 ? first : 0;
    for (int d = 0; d < a->rank; d++) {
        if (a->dims[d].kind == TG_INDEX_AT) continue;
        bool after = first >= 0 && (!contiguous || d > first);
        a->dims[d].result_dim = slices++ + (after ? a->position_rank : 0);
    }
}

/* Returns the shape that all positions broadcast to: the result without the dimensions of
 * slices. */
static tg_type position_type(tg_lowerer *l, const tg_op *op, const tg_access *access)
{
    tg_type type = {0};
    for (int d = 0, next = (int)access->first_index; d < access->rank; d++) {
        const tg_index_dim *dim = &access->index[d];
        if (dim->kind == TG_INDEX_SLICE && dim->has_start) continue;
        const tg_type *in = tg_type_of(l->kernel, op->in[next++]);
        if (dim->kind == TG_INDEX_SLICE) continue;
        if (in->rank > type.rank) {
            int shift = in->rank - type.rank;
            memmove(type.shape + shift, type.shape, (size_t)type.rank * sizeof type.shape[0]);
            for (int i = 0; i < shift; i++) type.shape[i] = 1;
            type.rank = in->rank;
        }
        for (int i = 0; i < in->rank; i++)
            if (in->shape[in->rank - 1 - i] != 1)
                type.shape[type.rank - 1 - i] = in->shape[in->rank - 1 - i];
    }
    return type;
}

/* Broadcasts a scalar position to the shape of the index arrays beside it. */
static tg_operand repeated(const tg_operand *from, const tg_type *positions)
{
    tg_operand to = *from;
    if (from->rank > 0) return to;
    to.rank = positions->rank;
    memcpy(to.shape, positions->shape, sizeof to.shape);
    return to;
}

/* Whether the interpreter reads the integer as it is, where it wants a scalar. */
static bool is_read_as_it_is(tg_dtype dtype)
{
    return dtype == TG_DT_i64 || tg_dtypes[dtype].bits < 64;
}

/* Returns the operand that gives the start of a slice, a position that is a scalar, or positions
 * broadcast to their common shape, which are i64. */
static tg_operand index_operand(tg_lowerer *l, const tg_op *op, tg_value_id v, tg_index_kind kind,
                                const tg_type *positions)
{
    const bool is_scalar = kind == TG_INDEX_SLICE || positions->rank == 0;
    const tg_node_id as_it_is = l->value_node[v];
    if (is_scalar && is_read_as_it_is(l->nodes[as_it_is].type.dtype))
        return tg_lower_at(l, as_it_is);
    tg_node_id node = tg_lower_convert(l, as_it_is, TG_DT_i64, op->loc);
    if (kind == TG_INDEX_AT && l->nodes[node].type.rank > 0)
        node = tg_lower_as_shape(l, node, positions->rank, positions->shape);
    return tg_lower_at(l, node);
}

static void plan_dims(tg_lowerer *l, const tg_op *op, const tg_access *access, tg_access_plan *a)
{
    tg_type positions = position_type(l, op, access);
    for (int d = 0; d < access->rank; d++) {
        const tg_index_dim *from = &access->index[d];
        a->dims[d] = (tg_access_dim){.kind = from->kind,
                                     .start = from->start,
                                     .size = from->size,
                                     .stride = from->stride,
                                     .has_operand = from->kind == TG_INDEX_AT || !from->has_start};
    }
    place_dims(a, &positions);
    bool is_even = tg_lower_even_positions(l, op, access, a, &positions);
    a->is_even = is_even && positions.rank > 0;
    for (uint32_t d = 0, next = access->first_index; d < (uint32_t)access->rank; d++) {
        const tg_index_dim *from = &access->index[d];
        if (from->kind == TG_INDEX_SLICE && from->has_start) continue;
        tg_value_id v = op->in[next++];
        bool is_array = tg_type_of(l->kernel, v)->rank > 0;
        if (is_array && is_even) continue;
        if (is_array) a->has_arrays = true;
        a->dims[d].operand = index_operand(l, op, v, from->kind, &positions);
    }
    for (int d = 0; d < a->rank && a->has_arrays; d++)
        if (a->dims[d].kind == TG_INDEX_AT)
            a->dims[d].operand = repeated(&a->dims[d].operand, &positions);
}

/* Whether all starts are static, no index is outside the ref, and the result has the dimensions of
 * the ref. */
static bool is_fixed(const tg_access_plan *a)
{
    if (a->result.rank != a->rank) return false;
    for (int d = 0; d < a->rank; d++) {
        const tg_access_dim *dim = &a->dims[d];
        if (dim->kind != TG_INDEX_SLICE || dim->has_operand || dim->result_dim != d) return false;
        if (dim->start < 0 || dim->start > a->ref_shape[d]) return false;
        if (dim->size > 0 && dim->size - 1 > (a->ref_shape[d] - 1 - dim->start) / dim->stride)
            return false;
    }
    return true;
}

static tg_operand broadcast_value(tg_lowerer *l, tg_value_id v, const tg_type *shape)
{
    return tg_lower_at(l, tg_lower_as_shape(l, l->value_node[v], shape->rank, shape->shape));
}

/* The view_tensor whose result an op accesses, also as elements of another dtype; NULL: that of no such
 * op. */
static const tg_op *tensor_of(const tg_lowerer *l, const tg_op *op)
{
    const tg_op *made = l->value_op[op->in[0]];
    while (made && made->code == TG_OP_view_bitcast) made = l->value_op[made->in[0]];
    return made && made->code == TG_OP_view_tensor ? made : NULL;
}

tg_access_plan tg_lower_access(tg_lowerer *l, const tg_op *op)
{
    const tg_access_plan nothing = {0};
    tg_access access = tg_op_access(op);
    tg_access_plan a = {.ref = l->value_ref[op->in[0]], .rank = access.rank};
    const tg_ref_plan *ref = &l->refs[a.ref];
    a.root = ref->root;
    a.has_no_strides = ref->has_no_strides;
    a.dtype = ref->type.dtype;
    a.dims = tg_lower_take(l, (size_t)a.rank, sizeof *a.dims);
    a.ref_shape = tg_lower_take(l, (size_t)a.rank, sizeof *a.ref_shape);
    if (l->failed) return nothing;
    memcpy(a.ref_shape, ref->type.shape, (size_t)a.rank * sizeof *a.ref_shape);
    if (!tg_access_shape(l->kernel, op, &access, &a.result)) {
        tg_lower_fail(l, TG_ERR_INTERNAL, op, "the shape of the access is not known");
        return nothing;
    }
    plan_dims(l, op, &access, &a);
    a.is_fixed = is_fixed(&a);
    a.tensor = tensor_of(l, op);
    a.has_mask = access.mask >= 0;
    a.has_other = access.other >= 0;
    if (a.has_mask) a.mask = broadcast_value(l, op->in[access.mask], &a.result);
    if (a.has_other) a.other = broadcast_value(l, op->in[access.other], &a.result);
    return a;
}

void tg_lower_memory_strides(const tg_lowerer *l, const tg_access_plan *a, int64_t *stride)
{
    const tg_ref_plan *ref = &l->refs[a->ref];
    for (int d = 0; d < a->rank; d++)
        if (a->dims[d].kind == TG_INDEX_SLICE)
            stride[a->dims[d].result_dim] = a->dims[d].stride * ref->stride[d];
}
