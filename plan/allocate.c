/* Two slots share bytes only if no instruction sees both alive. */
#include "plan/allocate.h"

#include <stdlib.h>
#include <string.h>

enum { SLOT_ALIGN = 64, MOST_KEPT_BYTES = 16 * 1024 };

/* ---- lifetimes ---- */

typedef struct visit {
    tg_plan *plan;
    uint32_t at;
    uint32_t *accesses; /* per slot: operands that name it */
} visit;

static void event(const visit *v, tg_slot_id id)
{
    tg_slot *slot = &v->plan->slots[id];
    if (slot->kind != TG_SLOT_WORK || slot->last == UINT32_MAX) return;
    v->accesses[id]++;
    if (v->at < slot->first) slot->first = v->at;
    if (v->at > slot->last) slot->last = v->at;
}

static void touch_operand(void *context, const tg_operand *o, bool is_written)
{
    (void)is_written;
    event(context, o->slot);
}

static void touch_slot(void *context, tg_slot_id slot) { event(context, slot); }

static void touch_inst(visit *v, const tg_inst *inst)
{
    tg_inst_operands(inst, touch_operand, v);
    tg_inst_slots(inst, touch_slot, v);
}

/* A slot that enters a loop alive and is used inside stays alive to the loop's end, where it may be
 * used again in the next turn.  Inner loops end first in the code, so one pass in order is
 * enough. */
static void extend_over_loops(tg_plan *plan)
{
    for (uint32_t at = 0; at < plan->body.count; at++) {
        uint32_t start = tg_inst_loop_start(&plan->body.list[at], at);
        if (start == UINT32_MAX) continue;
        for (uint32_t s = 0; s < plan->slot_count; s++) {
            tg_slot *slot = &plan->slots[s];
            if (slot->kind != TG_SLOT_WORK || slot->last == UINT32_MAX) continue;
            if (slot->first < start && slot->last >= start && slot->last < at) slot->last = at;
        }
    }
}

tg_slot_id tg_plan_exchange_root(const tg_plan *plan, tg_slot_id slot)
{
    while (plan->slots[slot].exchange != slot) slot = plan->slots[slot].exchange;
    return slot;
}

/* Slots that exchange memory are alive as long as any of them. */
static bool unite_exchanged(tg_plan *plan)
{
    bool changed = false;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t s = 0; s < plan->slot_count; s++) {
            tg_slot *slot = &plan->slots[s], *root = &plan->slots[tg_plan_exchange_root(plan, s)];
            tg_slot *from = pass ? root : slot, *to = pass ? slot : root;
            if (slot == root) continue;
            if (from->first < to->first) to->first = from->first, changed = true;
            if (from->last > to->last) to->last = from->last, changed = true;
        }
    return changed;
}

/* ---- what is the same in every program ---- */

/* Operands that only read their slot, per slot; there may be others that do. */
static void count_reads(const tg_plan *plan, uint32_t *reads)
{
    for (uint32_t at = 0; at < plan->body.count; at++) {
        const tg_inst *inst = &plan->body.list[at];
        if (inst->kind == TG_I_GROUP)
            for (uint32_t i = 0; i < inst->as.group->input_count; i++)
                reads[inst->as.group->inputs[i].slot]++;
        if (inst->kind == TG_I_REDUCE) reads[inst->as.reduce->in.slot]++;
        if ((inst->kind == TG_I_LOAD || inst->kind == TG_I_TARGET || inst->kind == TG_I_STORE) &&
            inst->as.access->access.has_mask)
            reads[inst->as.access->access.mask.slot]++;
    }
}

/* Whether it depends on nothing but constants, and nothing else writes where it does. */
static bool is_always_same(const tg_plan *plan, const tg_group *g, const uint32_t *accesses,
                           const uint32_t *reads)
{
    for (uint32_t i = 0; i < g->input_count; i++)
        if (plan->slots[g->inputs[i].slot].kind != TG_SLOT_CONSTANT) return false;
    for (uint32_t i = 0; i < g->output_count; i++) {
        const tg_slot_id id = g->outputs[i].slot;
        const tg_slot *slot = &plan->slots[id];
        if (slot->kind != TG_SLOT_WORK || slot->has_memory || slot->last == UINT32_MAX ||
            slot->bytes > MOST_KEPT_BYTES || accesses[id] != reads[id] + 1)
            return false;
    }
    return g->output_count > 0;
}

static void find_once(tg_plan *plan, const uint32_t *accesses, const uint32_t *reads)
{
    for (uint32_t at = 0; at < plan->body.count; at++) {
        if (plan->body.list[at].kind != TG_I_GROUP) continue;
        tg_group *g = plan->body.list[at].as.group;
        g->is_once = is_always_same(plan, g, accesses, reads);
        for (uint32_t i = 0; g->is_once && i < g->output_count; i++) {
            tg_slot *slot = &plan->slots[g->outputs[i].slot];
            slot->first = 0;
            slot->last = UINT32_MAX;
        }
    }
}

/* ---- placement ---- */

typedef struct range {
    size_t start, end;
    uint32_t last;
} range;

static int by_first(const void *a, const void *b)
{
    const tg_slot *x = *(tg_slot *const *)a, *y = *(tg_slot *const *)b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Forgets ranges that ended before `now`; keeps the list sorted by start. */
static uint32_t drop_ended(range *live, uint32_t count, uint32_t now)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (live[i].last >= now) live[kept++] = live[i];
    return kept;
}

/* First fit. */
static uint32_t place(range *live, uint32_t count, tg_slot *slot)
{
    size_t bytes = (slot->bytes + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN, start = 0;
    uint32_t at = 0;
    while (at < count && live[at].start < start + bytes) start = live[at++].end;
    memmove(live + at + 1, live + at, (count - at) * sizeof *live);
    live[at] = (range){start, start + bytes, slot->last};
    slot->offset = start;
    return count + 1;
}

static bool find_lifetimes(tg_plan *plan)
{
    uint32_t *accesses = calloc((size_t)plan->slot_count * 2 + 1, sizeof *accesses);
    uint32_t *reads = accesses + plan->slot_count;
    if (!accesses) return false;
    for (uint32_t at = 0; at < plan->body.count; at++)
        touch_inst(&(visit){plan, at, accesses}, &plan->body.list[at]);
    count_reads(plan, reads);
    find_once(plan, accesses, reads);
    free(accesses);
    do extend_over_loops(plan);
    while (unite_exchanged(plan));
    return true;
}

tg_status tg_plan_allocate(tg_plan *plan)
{
    if (!find_lifetimes(plan)) return TG_ERR_NO_MEMORY;
    tg_slot **order = malloc((plan->slot_count + 1) * sizeof *order);
    range *live = malloc((plan->slot_count + 1) * sizeof *live);
    uint32_t count = 0, live_count = 0;
    for (uint32_t s = 0; order && s < plan->slot_count; s++)
        if (plan->slots[s].kind == TG_SLOT_WORK && plan->slots[s].first != UINT32_MAX)
            order[count++] = &plan->slots[s];
    if (order && live) {
        qsort(order, count, sizeof(tg_slot *), by_first);
        for (uint32_t i = 0; i < count; i++) {
            live_count = drop_ended(live, live_count, order[i]->first);
            live_count = place(live, live_count, order[i]);
            if (order[i]->offset + order[i]->bytes > plan->workspace_bytes)
                plan->workspace_bytes = order[i]->offset + order[i]->bytes;
        }
    }
    tg_status status = order && live ? TG_OK : TG_ERR_NO_MEMORY;
    free(order);
    free(live);
    return status;
}
