#include "lower/dot.h"

#include <string.h>

#include "ir/product.h"
#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"
#include "lower/operands.h"
#include "lower/semaphore.h"

tg_dtype tg_lower_dot_sums_in(tg_dtype lhs, tg_dtype rhs, tg_dtype result)
{
    if (tg_is_float(lhs) || tg_is_float(result)) {
        bool wide = lhs == TG_DT_f64 || rhs == TG_DT_f64 || result == TG_DT_f64;
        return wide ? TG_DT_f64 : TG_DT_f32;
    }
    bool wide =
        tg_dtypes[lhs].bits == 64 || tg_dtypes[rhs].bits == 64 || tg_dtypes[result].bits == 64;
    if (tg_is_unsigned(result)) return wide ? TG_DT_u64 : TG_DT_u32;
    return wide ? TG_DT_i64 : TG_DT_i32;
}

typedef struct side {
    int dims[3][TG_MAX_RANK]; /* operand dimensions of each role, in order */
    int count[3];
    int64_t extent[3];
    int64_t stride[TG_STORAGE_COUNT][3];
    tg_operand at;
} side;

static void set_role(side *s, int role, const tg_attr *dims, unsigned *seen)
{
    for (int64_t i = 0; dims && i < dims->count; i++) {
        s->dims[role][s->count[role]++] = (int)dims->as.ints[i];
        *seen |= 1U << dims->as.ints[i];
    }
}

/* Returns the operand with its dimensions in the order of the roles. */
static tg_operand in_role_order(const side *s)
{
    tg_operand to = s->at;
    int d = 0;
    for (int role = 0; role < 3; role++)
        for (int i = 0; i < s->count[role]; i++, d++) {
            to.shape[d] = s->at.shape[s->dims[role][i]];
            for (int v = 0; v < TG_STORAGE_COUNT; v++)
                to.stride[v][d] = s->at.stride[v][s->dims[role][i]];
        }
    return to;
}

static bool merge_roles(side *s, const tg_operand *o)
{
    for (int role = 0, first = 0; role < 3; first += s->count[role++]) {
        int64_t stride[TG_STORAGE_COUNT];
        s->extent[role] = 1;
        for (int i = 0; i < s->count[role]; i++) s->extent[role] *= o->shape[first + i];
        if (!tg_operand_merges(o, first, s->count[role], stride)) return false;
        for (int v = 0; v < TG_STORAGE_COUNT; v++) s->stride[v][role] = stride[v];
    }
    return true;
}

/* Fills in one side of a dot.  Role 0 is batch; `free_role`, 1 or 2, is the role of the free
 * dimensions, and the other one that of the contracted dimensions.  Copies the operand if the
 * dimensions of a role cannot be merged into one. */
static void prepare_side(tg_lowerer *l, side *s, tg_node_id node, tg_dtype acc,
                         const tg_attr *batch, const tg_attr *contract, int free_role,
                         const tg_op *op)
{
    unsigned seen = 0;
    s->at = tg_lower_at(l, tg_lower_convert(l, node, acc, op->loc));
    set_role(s, 0, batch, &seen);
    set_role(s, 3 - free_role, contract, &seen);
    for (int d = 0; d < s->at.rank; d++)
        if (!(seen >> d & 1)) s->dims[free_role][s->count[free_role]++] = d;
    tg_operand ordered = in_role_order(s);
    if (!merge_roles(s, &ordered)) {
        tg_type type = {.dtype = acc, .rank = ordered.rank};
        memcpy(type.shape, ordered.shape, sizeof type.shape);
        tg_operand dense = tg_lower_dense(tg_lower_slot(l, acc, tg_type_count(&type)), &type);
        tg_lower_copy(l, dense, ordered, op);
        merge_roles(s, &dense);
        ordered = dense;
    }
    s->at = ordered;
}

/* The carrier of narrow floats is f32 already, so only the carriers must agree. */
static tg_dtype operand_dtype(tg_dtype dtype, tg_dtype acc)
{
    return tg_carrier_of(dtype) == tg_carrier_of(acc) ? dtype : acc;
}

void tg_lower_op_dot_start(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_async *product = tg_lower_take(l, 1, sizeof *product);
    if (!product) return;
    product->to = tg_lower_place(l, op->in[0]);
    product->source_count = op->in_count - 1;
    for (uint32_t i = 0; i < product->source_count; i++)
        product->source[i] = tg_lower_place(l, op->in[1 + i]);
    product->scales = tg_product_scales(op) ? tg_product_scales(op) - 1 : 0;
    product->selection = tg_product_selection(op) ? tg_product_selection(op) - 1 : 0;
    product->engine = TG_ENGINE_PRODUCTS;
    product->told = TG_ASYNC_TELLS_GROUP;
    product->replaces = tg_op_int(op, TG_ATTR_replaces, 0) != 0;
    product->signal_root = UINT32_MAX;
    product->acc = tg_lower_dot_sums_in(product->source[0].type.dtype,
                                        product->source[1].type.dtype, product->to.type.dtype);
    tg_lower_emit(l, TG_I_PRODUCT, op->code, op->loc)->as.async = product;
}

void tg_lower_op_dot(tg_lowerer *l, const tg_op *op)
{
    const tg_type *result = tg_type_of(l->kernel, op->out[0]);
    tg_dtype lhs = tg_type_of(l->kernel, op->in[0])->dtype,
             rhs = tg_type_of(l->kernel, op->in[1])->dtype;
    struct tg_inst_dot *dot = tg_lower_take(l, 1, sizeof *dot);
    side *left = tg_lower_take(l, 2, sizeof *left), *right = left + 1;
    if (l->failed) return;
    dot->acc = tg_lower_dot_sums_in(lhs, rhs, result->dtype);
    prepare_side(l, left, l->value_node[op->in[0]], operand_dtype(lhs, dot->acc),
                 tg_op_attr(op, TG_ATTR_lhs_batch), tg_op_attr(op, TG_ATTR_lhs_contract), 1, op);
    prepare_side(l, right, l->value_node[op->in[1]], operand_dtype(rhs, dot->acc),
                 tg_op_attr(op, TG_ATTR_rhs_batch), tg_op_attr(op, TG_ATTR_rhs_contract), 2, op);
    dot->may_be_tf32 = tg_op_int(op, TG_ATTR_precision, 0) == 0;
    dot->lhs = left->at;
    dot->rhs = right->at;
    dot->b = left->extent[0];
    dot->m = left->extent[1];
    dot->k = left->extent[2];
    dot->n = right->extent[2];
    memcpy(dot->lhs_stride, left->stride, sizeof dot->lhs_stride);
    memcpy(dot->rhs_stride, right->stride, sizeof dot->rhs_stride);
    tg_type acc_type = *result;
    acc_type.dtype = dot->acc;
    tg_slot_id slot = tg_lower_slot(l, dot->acc, tg_type_count(result));
    dot->out = tg_lower_dense(slot, &acc_type);
    tg_lower_emit(l, TG_I_DOT, op->code, op->loc)->as.dot = dot;
    tg_node_id sum = tg_lower_leaf(l, &acc_type, dot->out, 1);
    tg_node_id rounded = tg_lower_convert(l, sum, result->dtype, op->loc);
    l->nodes[rounded].uses = l->value_uses[op->out[0]];
    l->value_node[op->out[0]] = rounded;
    l->last_dot = sum;
}
