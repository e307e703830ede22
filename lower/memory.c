/* Memory ops and refs. */
#include <string.h>

#include "lower/impl.h"

static bool has_root(const tg_access_plan *a) { return a->root != UINT32_MAX; }

/* Where in the result the positions' dimensions are, and where each slice's. */
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

/* The shape that all positions broadcast to: what is left of the result without the slices. */
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

/* A scalar position among arrays, as often as they are long. */
static tg_operand repeated(const tg_operand *from, const tg_type *positions)
{
    tg_operand to = *from;
    if (from->rank > 0) return to;
    to.rank = positions->rank;
    memcpy(to.shape, positions->shape, sizeof to.shape);
    return to;
}

/* The operand that gives the start of a slice, or positions broadcast to a common shape. */
static tg_operand index_operand(tg_lowerer *l, const tg_op *op, tg_value_id v, tg_index_kind kind,
                                const tg_type *positions)
{
    tg_node_id node = tg_lower_convert(l, l->value_node[v], TG_DT_i64, op->loc);
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

/* Whether every start is known, no index is outside the ref, and the dimensions of the result are those of the
 * ref. */
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

static tg_access_plan plan_access(tg_lowerer *l, const tg_op *op)
{
    tg_access access = tg_op_access(op);
    tg_access_plan a = {.ref = l->value_ref[op->in[0]], .rank = access.rank};
    const tg_ref_plan *ref = &l->refs[a.ref];
    a.root = ref->root;
    a.has_no_strides = ref->has_no_strides;
    a.dtype = ref->type.dtype;
    a.dims = tg_lower_take(l, (size_t)a.rank, sizeof *a.dims);
    a.ref_shape = tg_lower_take(l, (size_t)a.rank, sizeof *a.ref_shape);
    memcpy(a.ref_shape, ref->type.shape, (size_t)a.rank * sizeof *a.ref_shape);
    if (!tg_access_shape(l->kernel, op, &access, &a.result))
        tg_lower_fail(l, TG_ERR_INTERNAL, op, "the shape of the access is not known");
    plan_dims(l, op, &access, &a);
    a.is_fixed = is_fixed(&a);
    a.has_mask = access.mask >= 0;
    a.has_other = access.other >= 0;
    if (a.has_mask) a.mask = broadcast_value(l, op->in[access.mask], &a.result);
    if (a.has_other) a.other = broadcast_value(l, op->in[access.other], &a.result);
    return a;
}

/* Strides, in elements of memory, of the result of an access without arrays. */
static void memory_strides(const tg_lowerer *l, const tg_access_plan *a, int64_t *stride)
{
    const tg_ref_plan *ref = &l->refs[a->ref];
    for (int d = 0; d < a->rank; d++)
        if (a->dims[d].kind == TG_INDEX_SLICE)
            stride[a->dims[d].result_dim] = a->dims[d].stride * ref->stride[d];
}

/* A slot as large as the result that can also stand for the memory itself. */
static tg_operand memory_operand(tg_lowerer *l, const tg_access_plan *a)
{
    tg_slot_id slot = tg_lower_slot(l, a->dtype, tg_type_count(&a->result));
    tg_operand at = tg_lower_dense(slot, &a->result);
    l->plan->slots[slot].has_memory = true;
    memset(at.stride[TG_LAYOUT_MEMORY], 0, sizeof at.stride[TG_LAYOUT_MEMORY]);
    memory_strides(l, a, at.stride[TG_LAYOUT_MEMORY]);
    return at;
}

/* Whether memory can stand for the block, if all of it is inside and no lane is masked off. */
static bool is_plain(const tg_access_plan *a)
{
    return !a->has_arrays && !a->has_no_strides && tg_is_native(a->dtype) &&
           tg_type_count(&a->result) > 1;
}

static struct tg_inst_access *new_access(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_access *access = tg_lower_take(l, 1, sizeof *access);
    access->access = plan_access(l, op);
    access->source = op;
    return access;
}

static void lower_load(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_access *load = new_access(l, op);
    const tg_access_plan *a = &load->access;
    tg_value_id v = op->out[0];
    load->may_be_in_place = is_plain(a) && has_root(a) && !l->plan->is_written[a->root] &&
                            l->kernel->params[a->root].role != TG_ROLE_SCRATCH;
    if (load->may_be_in_place) {
        load->value = memory_operand(l, a);
        l->value_node[v] = tg_lower_leaf(l, &a->result, load->value, l->value_uses[v]);
    } else {
        load->value = tg_lower_result(l, v);
    }
    tg_lower_emit(l, TG_I_LOAD, op->code, op->loc)->as.access = load;
}

static void lower_store(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_access *store = new_access(l, op);
    const tg_access_plan *a = &store->access;
    tg_node_id node = l->value_node[op->in[1]];
    if (op->code == TG_OP_store && is_plain(a) && !l->nodes[node].is_ready &&
        l->nodes[node].uses <= 1) {
        store->may_be_in_place = true;
        store->value = memory_operand(l, a);
        tg_lower_emit(l, TG_I_TARGET, op->code, op->loc)->as.access = store;
        const tg_operand *dest = &store->value;
        tg_lower_ready(l, &node, 1, &dest);
    } else {
        store->value = tg_lower_at(l, node);
    }
    if (op->code == TG_OP_swap) {
        store->has_old = true;
        store->old = tg_lower_result(l, op->out[0]);
    }
    tg_lower_emit(l, TG_I_STORE, op->code, op->loc)->as.access = store;
}

static void lower_atomic(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_access *atomic = new_access(l, op);
    atomic->value = tg_lower_operand(l, op->in[1]);
    if (op->code == TG_OP_atomic_cas) atomic->second = tg_lower_operand(l, op->in[2]);
    atomic->kind = op->code == TG_OP_add_update ? tg_attr_name_index(TG_ATTR_kind, "add")
                                                : tg_op_int(op, TG_ATTR_kind, 0);
    atomic->has_old = op->out_count > 0;
    if (atomic->has_old) atomic->old = tg_lower_result(l, op->out[0]);
    tg_lower_emit(l, TG_I_ATOMIC, op->code, op->loc)->as.access = atomic;
}

static void lower_view(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_view *view = tg_lower_take(l, 1, sizeof *view);
    const tg_type *type = tg_type_of(l->kernel, op->out[0]);
    int64_t stride[TG_MAX_RANK] = {0};
    view->access = plan_access(l, op);
    memory_strides(l, &view->access, stride);
    view->out = tg_lower_ref(l, type, view->access.root, stride);
    l->refs[view->out].has_no_strides = view->access.has_no_strides;
    l->value_ref[op->out[0]] = view->out;
    tg_lower_emit(l, TG_I_VIEW, op->code, op->loc)->as.view = view;
}

/* Strides of the recast ref, as far as there are some. */
static bool recast_strides(const tg_lowerer *l, const struct tg_inst_recast *recast, tg_opcode op,
                           int64_t *stride)
{
    const tg_ref_plan *from = &l->refs[recast->from];
    const tg_type *type = &recast->type;
    switch (op) {
    case TG_OP_view_transpose:
        for (int d = 0; d < type->rank; d++) stride[d] = from->stride[recast->permutation[d]];
        return true;
    case TG_OP_view_reshape:
        return tg_type_count(type) == 0 ||
               tg_reshape_strides(from->type.rank, from->type.shape, from->stride, type->rank,
                                  type->shape, stride);
    default:
        memcpy(stride, from->stride, (size_t)type->rank * sizeof *stride);
        return tg_dtypes[type->dtype].bytes == tg_dtypes[from->type.dtype].bytes;
    }
}

static void lower_recast(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_recast *recast = tg_lower_take(l, 1, sizeof *recast);
    const tg_attr *permutation = tg_op_attr(op, TG_ATTR_permutation);
    int64_t stride[TG_MAX_RANK] = {0};
    recast->from = l->value_ref[op->in[0]];
    recast->root = l->refs[recast->from].root;
    recast->from_type = *tg_type_of(l->kernel, op->in[0]);
    recast->type = *tg_type_of(l->kernel, op->out[0]);
    for (int d = 0; permutation && d < recast->type.rank; d++)
        recast->permutation[d] = (int8_t)permutation->as.ints[d];
    bool has_strides = recast_strides(l, recast, op->code, stride);
    recast->out = tg_lower_ref(l, &recast->type, l->refs[recast->from].root, stride);
    l->refs[recast->out].has_no_strides = !has_strides || l->refs[recast->from].has_no_strides;
    l->value_ref[op->out[0]] = recast->out;
    tg_lower_emit(l, TG_I_RECAST, op->code, op->loc)->as.recast = recast;
}

struct tg_inst_scope *tg_lower_scope(tg_lowerer *l, const tg_op *op, tg_value_id ref)
{
    struct tg_inst_scope *scope = tg_lower_take(l, 1, sizeof *scope);
    const tg_type *type = tg_type_of(l->kernel, ref);
    int64_t stride[TG_MAX_RANK] = {0};
    tg_dense_strides(type->rank, type->shape, stride);
    scope->slot = tg_lower_slot(l, type->dtype, tg_type_count(type));
    scope->type = *type;
    scope->out = l->value_ref[ref] = tg_lower_ref(l, type, UINT32_MAX, stride);
    tg_lower_emit(l, TG_I_SCOPE, op->code, op->loc)->as.scope = scope;
    return scope;
}

void tg_lower_scope_end(tg_lowerer *l, const tg_op *op, struct tg_inst_scope *scope)
{
    tg_lower_emit(l, TG_I_SCOPE_END, op->code, op->loc)->as.scope = scope;
}

bool tg_lower_memory_op(tg_lowerer *l, const tg_op *op)
{
    switch (op->code) {
    case TG_OP_load: lower_load(l, op); return true;
    case TG_OP_store:
    case TG_OP_swap: lower_store(l, op); return true;
    case TG_OP_add_update:
    case TG_OP_atomic_rmw:
    case TG_OP_atomic_cas: lower_atomic(l, op); return true;
    case TG_OP_view: lower_view(l, op); return true;
    case TG_OP_view_transpose:
    case TG_OP_view_reshape:
    case TG_OP_view_bitcast: lower_recast(l, op); return true;
    default: return false;
    }
}
