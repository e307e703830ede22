/* Regions, op by op: element-wise ops stay pending (lower/lanes.c), the others emit instructions.  Loops and
 * branches become jumps; what they carry from turn to turn lives in slots of its own. */
#include <string.h>

#include "lower/impl.h"

/* ---- which values are used ---- */

void tg_lower_count_uses(tg_lowerer *l, const tg_region *region)
{
    for (uint32_t i = 0; i < region->yield_count; i++) l->value_uses[region->yields[i]]++;
    for (uint32_t o = region->op_count; o-- > 0;) {
        const tg_op *op = &region->ops[o];
        bool is_live = !tg_op_may_be_dropped(op->code);
        for (uint32_t i = 0; i < op->out_count; i++) is_live |= l->value_uses[op->out[i]] > 0;
        if (!is_live) continue;
        for (uint32_t i = 0; i < op->out_count; i++) l->value_op[op->out[i]] = op;
        for (uint32_t r = 0; r < op->region_count; r++) tg_lower_count_uses(l, &op->regions[r]);
        for (uint32_t i = 0; i < op->in_count; i++) l->value_uses[op->in[i]]++;
    }
}

static bool is_dead(const tg_lowerer *l, const tg_op *op)
{
    if (!tg_op_may_be_dropped(op->code)) return false;
    for (uint32_t i = 0; i < op->out_count; i++)
        if (l->value_uses[op->out[i]]) return false;
    return true;
}

/* ---- control ---- */

typedef struct node_list {
    tg_node_id *list;
    uint32_t count, capacity;
} node_list;

static void push_node(tg_lowerer *l, node_list *nodes, tg_node_id id)
{
    nodes->list = tg_lower_grow(l, nodes->list, nodes->count, &nodes->capacity, sizeof id);
    nodes->list[nodes->count++] = id;
}

static void collect_value(tg_lowerer *l, node_list *nodes, tg_value_id v)
{
    tg_node_id id = l->value_node[v];
    if (id == UINT32_MAX || l->nodes[id].is_ready) return;
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->list[i] == id) return;
    push_node(l, nodes, id);
}

static void collect_region(tg_lowerer *l, node_list *nodes, const tg_region *region)
{
    for (uint32_t o = 0; o < region->op_count; o++) {
        const tg_op *op = &region->ops[o];
        for (uint32_t i = 0; i < op->in_count; i++) collect_value(l, nodes, op->in[i]);
        for (uint32_t r = 0; r < op->region_count; r++) collect_region(l, nodes, &op->regions[r]);
    }
    for (uint32_t i = 0; i < region->yield_count; i++) collect_value(l, nodes, region->yields[i]);
}

/* What the regions of `op` use from outside is computed before them, not in each of their turns. */
static void ready_captured(tg_lowerer *l, const tg_op *op)
{
    node_list nodes = {0};
    for (uint32_t r = 0; r < op->region_count; r++) collect_region(l, &nodes, &op->regions[r]);
    tg_lower_ready(l, nodes.list, nodes.count, NULL);
}

static tg_operand slot_for(tg_lowerer *l, tg_value_id v, uint32_t uses)
{
    const tg_type *type = tg_type_of(l->kernel, v);
    tg_operand at = tg_lower_dense(tg_lower_slot(l, type->dtype, tg_type_count(type)), type);
    l->value_node[v] = tg_lower_leaf(l, type, at, uses);
    return at;
}

/* Whether `at` is all of a slot that was filled since instruction `since` and nowhere else wanted. */
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

static bool same_layout(const tg_operand *a, const tg_operand *b)
{
    if (a->offset[0] != b->offset[0] || a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->shape[d] != b->shape[d] || (a->shape[d] != 1 && a->stride[0][d] != b->stride[0][d]))
            return false;
    return true;
}

/* The carries take the yielded values: by exchange of memory where a value owns its slot, else by copy.
 * Copies read before anything is overwritten: first to fresh slots where a carry is read, then home. */
static void emit_carries(tg_lowerer *l, const tg_op *op, const tg_region *region,
                         const tg_operand *carry, tg_slot_id first_slot)
{
    uint32_t count = region->yield_count;
    tg_node_id *nodes = tg_lower_take(l, count, sizeof *nodes);
    bool *is_done = tg_lower_take(l, count, sizeof *is_done);
    for (uint32_t i = 0; i < count; i++) nodes[i] = l->value_node[region->yields[i]];
    tg_lower_ready(l, nodes, count, NULL);
    for (uint32_t i = 0; i < count; i++) {
        tg_operand from = l->nodes[nodes[i]].at;
        is_done[i] = from.slot == carry[i].slot && same_layout(&from, &carry[i]);
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
    for (uint32_t i = 0; i < count; i++) from[i] = tg_lower_operand(l, init[i]);
    for (uint32_t i = 0; i < count; i++) {
        carry[i] = slot_for(l, args[i], UINT32_MAX / 2);
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

static void lower_for(tg_lowerer *l, const tg_op *op)
{
    const tg_region *region = &op->regions[0];
    ready_captured(l, op);
    struct tg_inst_for *loop = tg_lower_take(l, 2, sizeof *loop), *next = loop + 1;
    tg_operand lower = tg_lower_operand(l, op->in[0]);
    loop->upper = tg_lower_operand(l, op->in[1]);
    loop->step = tg_lower_operand(l, op->in[2]);
    tg_operand *carry = start_carries(l, op, region->args + 1, op->out_count, op->in + 3);
    loop->counter = slot_for(l, region->args[0], UINT32_MAX / 2);
    tg_lower_copy(l, loop->counter, lower, op);
    uint32_t start = l->inst_count;
    tg_slot_id first_slot = l->plan->slot_count;
    tg_lower_emit(l, TG_I_FOR_TEST, op->code, op->loc)->as.loop = loop;
    tg_lower_region(l, region);
    emit_carries(l, op, region, carry, first_slot);
    *next = *loop;
    next->target = start;
    tg_lower_emit(l, TG_I_FOR_NEXT, op->code, op->loc)->as.loop = next;
    loop->target = l->inst_count;
    finish_carries(l, op, carry);
}

static tg_inst *emit_switch(tg_lowerer *l, const tg_op *op, tg_operand on, uint32_t target_count)
{
    struct tg_inst_switch *branch = tg_lower_take(l, 1, sizeof *branch);
    branch->on = on;
    branch->target_count = target_count;
    branch->targets = tg_lower_take(l, target_count, sizeof *branch->targets);
    tg_inst *inst = tg_lower_emit(l, TG_I_SWITCH, op->code, op->loc);
    inst->as.on = branch;
    return inst;
}

static void lower_while(tg_lowerer *l, const tg_op *op)
{
    const tg_region *cond = &op->regions[0], *body = &op->regions[1];
    ready_captured(l, op);
    tg_operand *carry = start_carries(l, op, cond->args, op->out_count, op->in);
    for (uint32_t i = 0; i < op->out_count; i++)
        l->value_node[body->args[i]] = l->value_node[cond->args[i]];
    uint32_t start = l->inst_count;
    tg_slot_id first_slot = l->plan->slot_count;
    tg_lower_region(l, cond);
    struct tg_inst_switch *branch =
        emit_switch(l, op, tg_lower_operand(l, cond->yields[0]), 2)->as.on;
    branch->targets[1] = l->inst_count;
    tg_lower_region(l, body);
    emit_carries(l, op, body, carry, first_slot);
    tg_lower_emit(l, TG_I_JUMP, op->code, op->loc)->as.jump.target = start;
    branch->targets[0] = l->inst_count;
    finish_carries(l, op, carry);
}

/* The yields of a branch go into the slots of the results, computed there where they are pending. */
static void emit_branch_results(tg_lowerer *l, const tg_op *op, const tg_region *region,
                                const tg_operand *result)
{
    uint32_t count = region->yield_count;
    tg_node_id *nodes = tg_lower_take(l, count, sizeof *nodes);
    const tg_operand **dest = tg_lower_take(l, count, sizeof *dest);
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = l->value_node[region->yields[i]];
        dest[i] = l->nodes[nodes[i]].uses <= 1 ? &result[i] : NULL;
    }
    tg_lower_ready(l, nodes, count, dest);
    for (uint32_t i = 0; i < count; i++)
        if (l->nodes[nodes[i]].at.slot != result[i].slot)
            tg_lower_copy(l, result[i], l->nodes[nodes[i]].at, op);
}

static void lower_switch(tg_lowerer *l, const tg_op *op)
{
    ready_captured(l, op);
    tg_operand on = tg_lower_operand(l, op->in[0]);
    tg_operand *result = tg_lower_take(l, op->out_count, sizeof *result);
    uint32_t *jumps = tg_lower_take(l, op->region_count, sizeof *jumps);
    for (uint32_t i = 0; i < op->out_count; i++)
        result[i] = slot_for(l, op->out[i], l->value_uses[op->out[i]]);
    struct tg_inst_switch *branch = emit_switch(l, op, on, op->region_count)->as.on;
    for (uint32_t r = 0; r < op->region_count; r++) {
        branch->targets[r] = l->inst_count;
        tg_lower_region(l, &op->regions[r]);
        emit_branch_results(l, op, &op->regions[r], result);
        jumps[r] = l->inst_count;
        tg_lower_emit(l, TG_I_JUMP, op->code, op->loc);
    }
    for (uint32_t r = 0; r < op->region_count; r++)
        l->insts[jumps[r]].as.jump.target = l->inst_count;
}

static void lower_scoped(tg_lowerer *l, const tg_op *op)
{
    const tg_region *region = &op->regions[0];
    struct tg_inst_scope **scopes = tg_lower_take(l, region->arg_count, sizeof *scopes);
    for (uint32_t i = 0; i < region->arg_count; i++)
        scopes[i] = tg_lower_scope(l, op, region->args[i]);
    tg_lower_region(l, region);
    tg_node_id *nodes = tg_lower_take(l, region->yield_count, sizeof *nodes);
    for (uint32_t i = 0; i < region->yield_count; i++)
        nodes[i] = l->value_node[op->out[i]] = l->value_node[region->yields[i]];
    tg_lower_ready(l, nodes, region->yield_count, NULL);
    for (uint32_t i = 0; i < region->arg_count; i++) tg_lower_scope_end(l, op, scopes[i]);
}

static void lower_print(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_print *print = tg_lower_take(l, 1, sizeof *print);
    const bool is_check = op->code == TG_OP_check;
    const uint32_t first = is_check ? 1 : 0;
    print->format = tg_op_attr(op, TG_ATTR_format)->as.text;
    print->source = op;
    print->in_count = op->in_count - first;
    print->in = tg_lower_take(l, print->in_count, sizeof *print->in);
    for (uint32_t i = 0; i < print->in_count; i++)
        print->in[i] = tg_lower_operand(l, op->in[first + i]);
    if (is_check) print->condition = tg_lower_operand(l, op->in[0]);
    tg_lower_emit(l, is_check ? TG_I_CHECK : TG_I_PRINT, op->code, op->loc)->as.print = print;
}

static void lower_grid_op(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_grid *grid = tg_lower_take(l, 1, sizeof *grid);
    grid->axis = (int)tg_op_int(op, TG_ATTR_axis, 0);
    grid->out = tg_lower_result(l, op->out[0]);
    tg_inst_kind kind = op->code == TG_OP_program_id ? TG_I_PROGRAM_ID : TG_I_NUM_PROGRAMS;
    tg_lower_emit(l, kind, op->code, op->loc)->as.grid = grid;
}

static void lower_control_op(tg_lowerer *l, const tg_op *op)
{
    switch (op->code) {
    case TG_OP_program_id:
    case TG_OP_num_programs: lower_grid_op(l, op); return;
    case TG_OP_for: lower_for(l, op); return;
    case TG_OP_while: lower_while(l, op); return;
    case TG_OP_switch: lower_switch(l, op); return;
    case TG_OP_scoped: lower_scoped(l, op); return;
    case TG_OP_check:
    case TG_OP_debug_print: lower_print(l, op); return;
    default:
        tg_lower_fail(l, TG_ERR_UNSUPPORTED, op, "the interpreter does not have this operation");
    }
}

/* What `alloc` made in a region; its memory ends with it. */
typedef struct alloc {
    struct alloc *next;
    const tg_op *op;
    struct tg_inst_scope *scope;
} alloc;

static alloc *lower_alloc(tg_lowerer *l, const tg_op *op, alloc *others)
{
    alloc *made = tg_lower_take(l, 1, sizeof *made);
    *made = (alloc){.next = others, .op = op, .scope = tg_lower_scope(l, op, op->out[0])};
    return made;
}

void tg_lower_region(tg_lowerer *l, const tg_region *region)
{
    l->last_dot = TG_NO_NODE;
    l->region_start = l->inst_count;
    alloc *allocs = NULL;
    for (uint32_t o = 0; o < region->op_count; o++) {
        const tg_op *op = &region->ops[o];
        if (is_dead(l, op)) continue;
        if (l->kernel->dialect == TG_DIALECT_TRITON && tg_lower_triton_op(l, op)) continue;
        if (op->code == TG_OP_alloc)
            allocs = lower_alloc(l, op, allocs);
        else if (!tg_lower_lane_op(l, op) && !tg_lower_shape_op(l, op) &&
                 !tg_lower_reduce_op(l, op) && !tg_lower_memory_op(l, op) &&
                 !tg_lower_semaphore_op(l, op))
            lower_control_op(l, op);
    }
    for (; allocs; allocs = allocs->next) tg_lower_scope_end(l, allocs->op, allocs->scope);
}
