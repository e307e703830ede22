#include "lower/memory.h"

#include <string.h>

#include "lower/access.h"
#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"

static bool has_root(const tg_access_plan *a) { return a->root != UINT32_MAX; }

/* A slot as large as the result that can also stand for the memory itself. */
static tg_operand memory_operand(tg_lowerer *l, const tg_access_plan *a)
{
    tg_slot_id slot = tg_lower_slot(l, a->dtype, tg_type_count(&a->result));
    tg_operand at = tg_lower_dense(slot, &a->result);
    l->plan->slots[slot].has_memory = true;
    memset(at.stride[TG_STORAGE_MEMORY], 0, sizeof at.stride[TG_STORAGE_MEMORY]);
    tg_lower_memory_strides(l, a, at.stride[TG_STORAGE_MEMORY]);
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
    if (!access) return NULL;
    access->access = tg_lower_access(l, op);
    access->source = op;
    return access;
}

void tg_lower_op_load(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_access *load = new_access(l, op);
    if (!load) return;
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

void tg_lower_op_store(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_access *store = new_access(l, op);
    if (!store) return;
    const tg_access_plan *a = &store->access;
    tg_node_id node = l->value_node[op->in[1]];
    if (is_plain(a) && !l->nodes[node].is_ready && l->nodes[node].uses <= 1) {
        store->may_be_in_place = true;
        store->value = memory_operand(l, a);
        tg_lower_emit(l, TG_I_TARGET, op->code, op->loc)->as.access = store;
        const tg_operand *dest = &store->value;
        tg_lower_ready(l, &node, 1, &dest);
    } else {
        store->value = tg_lower_at(l, node);
    }
    tg_lower_emit(l, TG_I_STORE, op->code, op->loc)->as.access = store;
}

void tg_lower_op_swap(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_access *swap = new_access(l, op);
    if (!swap) return;
    swap->value = tg_lower_operand(l, op->in[1]);
    swap->has_old = true;
    swap->old = tg_lower_result(l, op->out[0]);
    tg_lower_emit(l, TG_I_STORE, op->code, op->loc)->as.access = swap;
}

void tg_lower_op_atomic(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_access *atomic = new_access(l, op);
    if (!atomic) return;
    atomic->value = tg_lower_operand(l, op->in[1]);
    if (op->code == TG_OP_atomic_cas) atomic->second = tg_lower_operand(l, op->in[2]);
    atomic->kind = op->code == TG_OP_add_update ? tg_attr_name_index(TG_ATTR_kind, "add")
                                                : tg_op_int(op, TG_ATTR_kind, 0);
    atomic->has_old = op->out_count > 0;
    if (atomic->has_old) atomic->old = tg_lower_result(l, op->out[0]);
    tg_lower_emit(l, TG_I_ATOMIC, op->code, op->loc)->as.access = atomic;
}
