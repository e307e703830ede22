/* A value matters if a branch, a bound, an address or what goes to memory depends on it.  A count
 * of turns that nothing uses does not, so that a loop which does no more than count and look is the
 * same in each turn. */
#include "plan/whiles.h"

#include <string.h>

#include "plan/allocate.h"

typedef struct search {
    tg_plan *plan;
    bool *matters;    /* per slot, see tg_plan_exchange_root */
    bool *is_written; /* per slot: in the loop at hand */
    bool changed;
} search;

/* ---- what matters ---- */

static bool slot_matters(const search *s, tg_slot_id slot)
{
    return s->matters[tg_plan_exchange_root(s->plan, slot)];
}

static void mark(search *s, tg_slot_id slot)
{
    bool *matters = &s->matters[tg_plan_exchange_root(s->plan, slot)];
    s->changed = s->changed || !*matters;
    *matters = true;
}

static void mark_read(void *context, const tg_operand *o, bool is_written)
{
    if (!is_written) mark(context, o->slot);
}

typedef struct wanted {
    const search *s;
    bool is_so;
} wanted;

static void look_at_result(void *context, const tg_operand *o, bool is_written)
{
    wanted *w = context;
    if (is_written && slot_matters(w->s, o->slot)) w->is_so = true;
}

/* Whether the instruction leaves something that matters. */
static bool is_wanted(const search *s, const tg_inst *inst)
{
    wanted w = {.s = s};
    tg_inst_operands(inst, look_at_result, &w);
    return w.is_so;
}

/* Of a group the ops count one by one, from the last to the first: a register matters if an op uses
 * it that does. */
static void mark_group(search *s, const tg_group *g)
{
    bool registers[UINT16_MAX + 1];
    memset(registers, 0, g->register_count * sizeof *registers);
    for (uint32_t i = g->op_count; i-- > 0;) {
        const tg_group_op *op = &g->ops[i];
        bool *const out = op->out.kind == TG_PLACE_REGISTER ? &registers[op->out.index] : NULL;
        if (out ? !*out : !slot_matters(s, g->outputs[op->out.index].slot)) continue;
        if (out) *out = false; /* an earlier value in that register is another one */
        for (uint32_t in = 0; in < op->in_count; in++) {
            const tg_place at = op->in[in];
            if (at.kind == TG_PLACE_REGISTER)
                registers[at.index] = true;
            else if (at.kind == TG_PLACE_INPUT)
                mark(s, g->inputs[at.index].slot);
            else
                mark(s, g->outputs[at.index].slot);
        }
    }
}

static void find_what_matters(search *s)
{
    do {
        s->changed = false;
        for (uint32_t at = s->plan->body.count; at-- > 0;) {
            const tg_inst *inst = &s->plan->body.list[at];
            if (inst->kind == TG_I_GROUP)
                mark_group(s, inst->as.group);
            else if (inst->kind == TG_I_SCOPE)
                mark(s, inst->as.scope->slot);
            else if (!(tg_inst_traits[inst->kind] & TG_INST_COMPUTES) || is_wanted(s, inst))
                tg_inst_operands(inst, mark_read, s);
        }
    } while (s->changed);
}

/* ---- a loop ---- */

static bool is_back(const tg_inst *inst, uint32_t at)
{
    return inst->kind == TG_I_JUMP && inst->as.jump.target <= at;
}

/* The last instruction of the outermost loop around `at`, and its first one. */
static void find_outermost(const tg_plan *plan, uint32_t at, uint32_t *first, uint32_t *last)
{
    for (uint32_t end = at; end < plan->body.count; end++) {
        const tg_inst *inst = &plan->body.list[end];
        const uint32_t start = tg_inst_loop_start(inst, end);
        if (start > at) continue;
        *first = start;
        *last = end;
    }
}

static void note_write(void *context, const tg_operand *o, bool is_written)
{
    if (is_written) ((search *)context)->is_written[o->slot] = true;
}

static void note_slot(void *context, tg_slot_id slot)
{
    ((search *)context)->is_written[slot] = true;
}

static void note_inst(search *s, const tg_inst *inst)
{
    tg_inst_operands(inst, note_write, s);
    if (inst->kind == TG_I_EXCHANGE) tg_inst_slots(inst, note_slot, s);
}

/* ---- memory ---- */

typedef struct memory_use {
    const tg_plan *plan;
    bool writes_scratch, polls;
} memory_use;

static bool is_shared(const tg_plan *plan, uint32_t root)
{
    return root != UINT32_MAX && plan->is_written[root] &&
           (plan->has_threads || plan->kernel->params[root].role != TG_ROLE_SCRATCH);
}

static void look_at_ref(void *context, tg_ref_use use, tg_ref_id ref, uint32_t root)
{
    memory_use *m = context;
    (void)ref;
    if (use == TG_REF_AWAITED) m->writes_scratch = true;
    if ((use & TG_REF_WRITTEN) && root != UINT32_MAX &&
        m->plan->kernel->params[root].role == TG_ROLE_SCRATCH)
        m->writes_scratch = true;
    if ((use & TG_REF_READ) && is_shared(m->plan, root)) m->polls = true;
}

/* Memory of the program's own that the loop writes by references: no operand says so.  What threads
 * share is not its own. */
static bool writes_scratch(const tg_plan *plan, const tg_inst *inst)
{
    if (plan->has_threads) return false;
    memory_use m = {.plan = plan};
    tg_inst_refs(inst, look_at_ref, &m);
    return m.writes_scratch;
}

/* Whether it reads what other programs may write. */
static bool polls(const tg_plan *plan, const tg_inst *inst)
{
    memory_use m = {.plan = plan, .polls = inst->op == TG_OP_semaphore_read};
    tg_inst_refs(inst, look_at_ref, &m);
    return m.polls;
}

static bool is_scope(const tg_plan *plan, tg_slot_id slot)
{
    for (uint32_t at = 0; at < plan->body.count; at++) {
        const tg_inst *inst = &plan->body.list[at];
        if (inst->kind == TG_I_SCOPE && inst->as.scope->slot == slot) return true;
    }
    return false;
}

/* A slot counts if it is alive where a turn begins and something in a loop around writes it. */
static tg_status list_slots(search *s, tg_while *loop)
{
    const tg_plan *plan = s->plan;
    loop->slots = tg_arena_take(&s->plan->arena, plan->slot_count + 1, sizeof *loop->slots);
    if (!loop->slots) return TG_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < plan->slot_count; i++) {
        const tg_slot *slot = &plan->slots[i];
        if (slot->kind == TG_SLOT_WORK && slot->first < loop->start && slot->last >= loop->start &&
            slot_matters(s, i) && (s->is_written[i] || is_scope(plan, i))) {
            loop->slots[loop->slot_count++] = i;
            loop->bytes += slot->bytes;
        }
    }
    return TG_OK;
}

static tg_status describe(search *s, tg_while *loop, uint32_t end)
{
    const tg_plan *plan = s->plan;
    uint32_t first = 0, last = 0;
    loop->start = plan->body.list[end].as.jump.target;
    find_outermost(plan, end, &first, &last);
    memset(s->is_written, 0, plan->slot_count * sizeof *s->is_written);
    for (uint32_t at = first; at <= last; at++) {
        note_inst(s, &plan->body.list[at]);
        loop->writes_scratch = loop->writes_scratch || writes_scratch(plan, &plan->body.list[at]);
    }
    for (uint32_t at = loop->start; at <= end; at++)
        loop->polls = loop->polls || polls(plan, &plan->body.list[at]);
    return list_slots(s, loop);
}

tg_status tg_plan_find_whiles(tg_plan *plan)
{
    search s = {.plan = plan};
    uint32_t count = 0;
    for (uint32_t at = 0; at < plan->body.count; at++)
        if (is_back(&plan->body.list[at], at)) plan->body.list[at].as.jump.loop = count++;
    if (!count) return TG_OK;
    plan->whiles = tg_arena_take(&plan->arena, count, sizeof *plan->whiles);
    s.matters = tg_arena_take(&plan->arena, plan->slot_count + 1, sizeof *s.matters);
    s.is_written = tg_arena_take(&plan->arena, plan->slot_count + 1, sizeof *s.is_written);
    if (!plan->whiles || !s.matters || !s.is_written) return TG_ERR_NO_MEMORY;
    find_what_matters(&s);
    for (uint32_t at = 0; at < plan->body.count; at++)
        if (is_back(&plan->body.list[at], at))
            TG_TRY(describe(&s, &plan->whiles[plan->while_count++], at));
    return TG_OK;
}
