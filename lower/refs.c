#include "lower/refs.h"

#include <string.h>

#include "lower/access.h"
#include "lower/base.h"
#include "layout/address.h"
#include "layout/canonical.h"
#include "lower/groups.h"
#include "lower/overwritten.h"
#include "plan/recast.h"

void tg_lower_op_view(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_view *view = tg_lower_take(l, 1, sizeof *view);
    if (!view) return;
    const tg_type *type = tg_type_of(l->kernel, op->out[0]);
    int64_t stride[TG_MAX_RANK] = {0};
    view->access = tg_lower_access(l, op);
    tg_lower_memory_strides(l, &view->access, stride);
    view->out = tg_lower_ref(l, type, view->access.root, stride);
    l->refs[view->out].has_no_strides = view->access.has_no_strides;
    l->value_ref[op->out[0]] = view->out;
    tg_lower_emit(l, TG_I_VIEW, op->code, op->loc)->as.view = view;
}

static void take_layout(tg_lowerer *l, const tg_axe *layout, struct tg_inst_recast *recast)
{
    const int64_t count = tg_type_count(&recast->type);
    tg_axe *address = tg_lower_take(l, 1, sizeof *address);
    int32_t *runs = NULL;
    if (count <= TG_MOST_LISTED_NUMBERS && tg_type_count(&recast->from_type) <= INT32_MAX)
        runs = tg_lower_take(l, (size_t)count, sizeof *runs);
    if (l->failed) return;
    /* The verifier has made sure that it is one. */
    tg_axe_address(layout, tg_dtypes[recast->type.dtype].bits, address, NULL);
    tg_axe_canonize(address);
    tg_recast_lay_out(recast, address, runs);
}

void tg_lower_op_recast(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_recast *recast = tg_lower_take(l, 1, sizeof *recast);
    if (!recast) return;
    const tg_attr *permutation = tg_op_attr(op, TG_ATTR_permutation);
    int64_t stride[TG_MAX_RANK] = {0}, shift;
    recast->from = l->value_ref[op->in[0]];
    recast->root = l->refs[recast->from].root;
    recast->from_type = *tg_type_of(l->kernel, op->in[0]);
    recast->type = *tg_type_of(l->kernel, op->out[0]);
    for (int d = 0; permutation && d < recast->type.rank; d++)
        recast->permutation[d] = (int8_t)permutation->as.ints[d];
    if (op->code == TG_OP_view_layout) take_layout(l, l->kernel->values[op->out[0]].layout, recast);
    /* These strides are those known before the run; they may be different for a block that is
     * partly outside its array (interp/memory/recast.c). */
    const bool is_numbered = tg_recast_strides(op->code, recast, l->refs[recast->from].stride, true,
                                               stride, &shift) == TG_RECAST_NUMBERED;
    recast->out = tg_lower_ref(l, &recast->type, l->refs[recast->from].root, stride);
    l->refs[recast->out].has_no_strides = is_numbered || l->refs[recast->from].has_no_strides;
    l->value_ref[op->out[0]] = recast->out;
    tg_lower_emit(l, TG_I_RECAST, op->code, op->loc)->as.recast = recast;
}

/* Nothing happens: accesses know the op (lower/access.c). */
void tg_lower_op_tensor(tg_lowerer *l, const tg_op *op)
{
    l->value_ref[op->out[0]] = l->value_ref[op->in[0]];
}

void tg_lower_op_part(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_part *part = tg_lower_take(l, 1, sizeof *part);
    if (!part) return;
    const tg_ref_plan *from = &l->refs[l->value_ref[op->in[0]]];
    const uint32_t rank = (uint32_t)from->type.rank;
    const bool has_no_strides = from->has_no_strides;
    const tg_attr *beyond = tg_op_attr(op, TG_ATTR_beyond);
    part->from = l->value_ref[op->in[0]];
    part->root = from->root;
    part->from_type = from->type;
    part->type = *tg_type_of(l->kernel, op->out[0]);
    part->starts = tg_lower_take(l, rank, sizeof *part->starts);
    part->sizes = tg_lower_take(l, rank, sizeof *part->sizes);
    if (l->failed) return;
    for (uint32_t d = 0; d < rank; d++) {
        part->starts[d] = tg_lower_operand(l, op->in[1 + d]);
        part->sizes[d] = tg_lower_operand(l, op->in[1 + rank + d]);
        part->beyond[d] = beyond ? beyond->as.ints[d] : 0;
    }
    part->out = tg_lower_ref(l, &part->type, part->root, l->refs[part->from].stride);
    l->refs[part->out].has_no_strides = has_no_strides;
    l->value_ref[op->out[0]] = part->out;
    tg_lower_emit(l, TG_I_PART, op->code, op->loc)->as.part = part;
}

struct tg_inst_scope *tg_lower_scope(tg_lowerer *l, const tg_op *op, tg_value_id ref)
{
    struct tg_inst_scope *scope = tg_lower_take(l, 1, sizeof *scope);
    if (!scope) return NULL;
    const tg_type *type = tg_type_of(l->kernel, ref);
    int64_t stride[TG_MAX_RANK] = {0};
    tg_dense_strides(type->rank, type->shape, stride);
    scope->slot = tg_lower_slot(l, type->dtype, tg_type_count(type));
    scope->type = *type;
    scope->value = ref;
    scope->out = l->value_ref[ref] = tg_lower_ref(l, type, UINT32_MAX, stride);
    tg_lower_emit(l, TG_I_SCOPE, op->code, op->loc)->as.scope = scope;
    return scope;
}

void tg_lower_scope_end(tg_lowerer *l, const tg_op *op, struct tg_inst_scope *scope)
{
    tg_lower_emit(l, TG_I_SCOPE_END, op->code, op->loc)->as.scope = scope;
}

void tg_lower_op_alloc(tg_lowerer *l, const tg_op *op)
{
    tg_alloc *made = tg_lower_take(l, 1, sizeof *made);
    if (!made) return;
    *made = (tg_alloc){.next = l->allocs, .op = op, .scope = tg_lower_scope(l, op, op->out[0])};
    l->allocs = made;
    if (!made->scope) return;
    const uint32_t after = (uint32_t)(op - l->region->ops) + 1;
    made->scope->is_overwritten = tg_lower_is_overwritten(l, l->region, after, op->out[0]);
}
