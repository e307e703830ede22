#include "lower/loops.h"

#include <string.h>

#include "lower/base.h"
#include "lower/branch.h"
#include "lower/groups.h"
#include "lower/nodes.h"
#include "lower/operands.h"
#include "lower/region.h"
#include "plan/allocate.h"

/* Whether `at` is all of a slot that was made since `first_slot` and nowhere else wanted. */
static bool can_exchange(const tg_lowerer *l, const tg_operand *at, tg_slot_id first_slot,
                         const tg_value_id *yields, uint32_t count, uint32_t self)
{
    const tg_slot *slot = &l->plan->slots[at->slot];
    if (slot->kind != TG_SLOT_WORK || slot->has_memory || at->slot < first_slot) return false;
    if (slot->count != 1 || at->rank > 0) {
        int64_t count_of = 1, dense[TG_MAX_RANK] = {0};
        tg_dense_strides(at->rank, at->shape, dense);
        for (int d = 0; d < at->rank; d++) {
            count_of *= at->shape[d];
            if (at->shape[d] != 1 && at->stride[0][d] != dense[d]) return false;
        }
        if (count_of != slot->count) return false;
    }
    if (at->offset[0] != 0 || slot->bytes < 256) return false; /* small ones are copied as fast */
    for (uint32_t i = 0; i < count; i++)
        if (i != self && l->nodes[l->value_node[yields[i]]].at.slot == at->slot) return false;
    return true;
}

static bool same_storage(const tg_operand *a, const tg_operand *b)
{
    if (a->offset[0] != b->offset[0] || a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->shape[d] != b->shape[d] || (a->shape[d] != 1 && a->stride[0][d] != b->stride[0][d]))
            return false;
    return true;
}

/* The carries take the yielded values: by exchange of memory where a value owns its slot, else by
 * copy. Copies read before anything is overwritten: first to fresh slots where a carry is read,
 * then home. */
static void emit_carries(tg_lowerer *l, const tg_op *op, const tg_region *region,
                         const tg_operand *carry, tg_slot_id first_slot)
{
    uint32_t count = region->yield_count;
    tg_node_id *nodes = tg_lower_take(l, count, sizeof *nodes);
    bool *is_done = tg_lower_take(l, count, sizeof *is_done);
    if (l->failed) return;
    for (uint32_t i = 0; i < count; i++) nodes[i] = l->value_node[region->yields[i]];
    tg_lower_ready(l, nodes, count, NULL);
    for (uint32_t i = 0; i < count; i++) {
        tg_operand from = l->nodes[nodes[i]].at;
        is_done[i] = from.slot == carry[i].slot && same_storage(&from, &carry[i]);
        for (uint32_t k = 0; k < count && !is_done[i]; k++) {
            if (from.slot != carry[k].slot) continue;
            tg_type type = {.dtype = from.dtype, .rank = from.rank};
            memcpy(type.shape, from.shape, sizeof type.shape);
            tg_operand aside =
                tg_lower_dense(tg_lower_slot(l, type.dtype, tg_type_count(&type)), &type);
            tg_lower_copy(l, aside, from, op);
            nodes[i] = tg_lower_leaf(l, &type, aside, 1);
            break;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        tg_operand from = l->nodes[nodes[i]].at;
        if (is_done[i]) continue;
        if (can_exchange(l, &from, first_slot, region->yields, count, i)) {
            tg_inst *inst = tg_lower_emit(l, TG_I_EXCHANGE, op->code, op->loc);
            inst->as.exchange.a = carry[i].slot;
            inst->as.exchange.b = from.slot;
            uint32_t a = tg_plan_exchange_root(l->plan, carry[i].slot),
                     b = tg_plan_exchange_root(l->plan, from.slot);
            l->plan->slots[b].exchange = a;
        } else {
            tg_lower_copy(l, carry[i], from, op);
        }
    }
}

/* Slots for the carries of a loop, filled with the initial values. */
static tg_operand *start_carries(tg_lowerer *l, const tg_op *op, const tg_value_id *args,
                                 uint32_t count, const tg_value_id *init)
{
    tg_operand *carry = tg_lower_take(l, count, sizeof *carry);
    tg_operand *from = tg_lower_take(l, count, sizeof *from);
    if (l->failed) return NULL;
    for (uint32_t i = 0; i < count; i++) from[i] = tg_lower_operand(l, init[i]);
    for (uint32_t i = 0; i < count; i++) {
        carry[i] = tg_lower_fresh(l, args[i], UINT32_MAX / 2);
        tg_lower_copy(l, carry[i], from[i], op);
    }
    return carry;
}

static void finish_carries(tg_lowerer *l, const tg_op *op, const tg_operand *carry)
{
    for (uint32_t i = 0; i < op->out_count; i++)
        l->value_node[op->out[i]] = tg_lower_leaf(l, tg_type_of(l->kernel, op->out[i]), carry[i],
                                                  l->value_uses[op->out[i]]);
}

void tg_lower_op_for(tg_lowerer *l, const tg_op *op)
{
    const tg_region *region = &op->regions[0];
    tg_lower_captured(l, op);
    struct tg_inst_for *loop = tg_lower_take(l, 2, sizeof *loop), *next = loop + 1;
    if (!loop) return;
    tg_operand lower = tg_lower_operand(l, op->in[0]);
    loop->upper = tg_lower_operand(l, op->in[1]);
    loop->step = tg_lower_operand(l, op->in[2]);
    tg_operand *carry = start_carries(l, op, region->args + 1, op->out_count, op->in + 3);
    if (!carry) return;
    loop->counter = tg_lower_fresh(l, region->args[0], UINT32_MAX / 2);
    tg_lower_copy(l, loop->counter, lower, op);
    uint32_t start = l->inst_count;
    tg_slot_id first_slot = l->plan->slot_count;
    tg_lower_emit(l, TG_I_FOR_TEST, op->code, op->loc)->as.loop = loop;
    tg_lower_region(l, region);
    if (l->failed) return;
    emit_carries(l, op, region, carry, first_slot);
    *next = *loop;
    next->target = start;
    tg_lower_emit(l, TG_I_FOR_NEXT, op->code, op->loc)->as.loop = next;
    loop->target = l->inst_count;
    finish_carries(l, op, carry);
}

void tg_lower_op_while(tg_lowerer *l, const tg_op *op)
{
    const tg_region *cond = &op->regions[0], *body = &op->regions[1];
    tg_lower_captured(l, op);
    tg_operand *carry = start_carries(l, op, cond->args, op->out_count, op->in);
    if (!carry) return;
    for (uint32_t i = 0; i < op->out_count; i++)
        l->value_node[body->args[i]] = l->value_node[cond->args[i]];
    uint32_t start = l->inst_count;
    tg_slot_id first_slot = l->plan->slot_count;
    tg_lower_region(l, cond);
    if (l->failed) return;
    struct tg_inst_switch *branch = tg_lower_branch(l, op, tg_lower_operand(l, cond->yields[0]), 2);
    if (!branch) return;
    branch->targets[1] = l->inst_count;
    tg_lower_region(l, body);
    if (l->failed) return;
    emit_carries(l, op, body, carry, first_slot);
    tg_lower_emit(l, TG_I_JUMP, op->code, op->loc)->as.jump.target = start;
    branch->targets[0] = l->inst_count;
    finish_carries(l, op, carry);
}
