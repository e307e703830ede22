#include "lower/memory.h"

#include <string.h>

#include "lower/access.h"
#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"

static bool has_root(const tg_access_plan *a) { return a->root != UINT32_MAX; }

/* Makes a slot as large as the result; at run time, the memory itself may replace it. */
static tg_operand memory_operand(tg_lowerer *l, const tg_access_plan *a)
{
    tg_slot_id slot = tg_lower_slot(l, a->dtype, tg_type_count(&a->result));
    tg_operand at = tg_lower_dense(slot, &a->result);
    l->plan->slots[slot].has_memory = true;
    memset(at.stride[TG_STORAGE_MEMORY], 0, sizeof at.stride[TG_STORAGE_MEMORY]);
    tg_lower_memory_strides(l, a, at.stride[TG_STORAGE_MEMORY]);
    return at;
}

/* Whether the block can be used in place in memory, if it is wholly inside and no lane is masked
 * off. */
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
    access->is_atomic = tg_op_is_atomic(op);
    access->sem = (tg_atomic_sem)tg_op_int(op, TG_ATTR_sem, TG_SEM_ACQ_REL);
    access->scope = (tg_atomic_scope)tg_op_int(op, TG_ATTR_scope, TG_SCOPE_GPU);
    return access;
}

void tg_lower_op_load(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_access *load = new_access(l, op);
    if (!load) return;
    const tg_access_plan *a = &load->access;
    tg_value_id v = op->out[0];
    load->may_be_in_place = is_plain(a) && has_root(a) && !l->plan->is_written[a->root] &&
                            !load->is_atomic && l->kernel->params[a->root].role != TG_ROLE_SCRATCH;
    if (load->may_be_in_place) {
        load->value = memory_operand(l, a);
        l->value_node[v] = tg_lower_leaf(l, &a->result, load->value, l->value_uses[v]);
    } else {
        load->value = tg_lower_result(l, v);
    }
    tg_lower_emit(l, TG_I_LOAD, op->code, op->loc)->as.access = load;
}

/* The load whose value the op stores, if it is the last instruction and nothing else uses the value;
 * else NULL. */
static struct tg_inst_access *load_before(const tg_lowerer *l, const tg_op *op)
{
    const tg_value_id value = op->in[1];
    if (l->inst_count == l->region_start || l->value_uses[value] != 1) return NULL;
    const tg_inst *last = &l->insts[l->inst_count - 1];
    if (last->kind != TG_I_LOAD || last->as.access->source->out[0] != value) return NULL;
    return last->as.access;
}

/* A value that goes from a param to memory of the program, or from there to a param, needs no memory
 * of its own: that of the param will do. */
static void pass_on(tg_lowerer *l, struct tg_inst_access *load, struct tg_inst_access *store)
{
    const tg_access_plan *from = &load->access, *to = &store->access;
    if (has_root(from) == has_root(to) || from->has_mask || to->has_mask) return;
    const tg_access_plan *param = has_root(from) ? from : to;
    int64_t stride[TG_MAX_RANK] = {0};
    if (!is_plain(param) || load->may_be_in_place) return;
    tg_lower_memory_strides(l, param, stride);
    if (stride[param->result.rank - 1] != 1) return;
    if (param == from)
        load->may_be_in_place = load->is_brief = true;
    else
        load->is_passed_on = store->is_passed_on = true;
    l->plan->slots[load->value.slot].has_memory = true;
    memcpy(load->value.stride[TG_STORAGE_MEMORY], stride, sizeof stride);
    store->value = load->value;
}

void tg_lower_op_store(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_access *store = new_access(l, op);
    if (!store) return;
    const tg_access_plan *a = &store->access;
    tg_node_id node = l->value_node[op->in[1]];
    if (!store->is_atomic && is_plain(a) && !l->nodes[node].is_ready && l->nodes[node].uses <= 1) {
        store->may_be_in_place = true;
        store->value = memory_operand(l, a);
        tg_lower_emit(l, TG_I_TARGET, op->code, op->loc)->as.access = store;
        const tg_operand *dest = &store->value;
        tg_lower_ready(l, &node, 1, &dest);
    } else {
        store->value = tg_lower_at(l, node);
        struct tg_inst_access *load = load_before(l, op);
        if (load && !load->is_atomic && !store->is_atomic) pass_on(l, load, store);
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
