/* Before each instruction: what becomes of the shadows, and whether an element that they speak of decides anything here.
 *
 * While no slot is flagged most instructions cost one look. */
#include "checks/undefined_impl.h"

/* ---- trails ---- */

uint32_t tg_step_word(tg_step_trail *step, uint32_t word, unsigned bytes)
{
    const uint32_t trail = tg_word_trail(word);
    if (step->from != trail) {
        step->from = trail;
        step->to = tg_trails_op(&step->all->trails, trail, step->inst, step->lane);
    }
    return tg_word(step->to, bytes);
}

uint32_t tg_origin_word(const tg_machine *m, tg_trail_kind kind, const tg_access_plan *a,
                        const tg_inst *inst, tg_dtype dtype)
{
    const uint32_t param = kind == TG_TRAIL_OUTSIDE ? a->root : UINT32_MAX;
    if (m->shadow->all->kind != TG_SHADOW_UNDEFINED) return 0;
    return tg_word(tg_trails_origin(&m->shadow->all->trails, kind, param, inst),
                   tg_all_bytes(dtype));
}

/* ---- what decides ---- */

static void look_at_condition(tg_machine *m, const tg_inst *inst, const tg_operand *o,
                              const char *what)
{
    const uint32_t word = tg_shadow_scalar(m->shadow, o);
    if (word)
        tg_shadow_found(m, TG_FINDING_UNDEFINED_CONDITION, inst, NULL, word, "%s of %s", what,
                        tg_ops[inst->op].name);
}

static void look_at_loop(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_for *loop = inst->as.loop;
    look_at_condition(m, inst, &loop->counter, "the counter");
    look_at_condition(m, inst, &loop->upper, "the upper bound");
    look_at_condition(m, inst, &loop->step, "the step");
}

/* The counter is what it was and the step together. */
static void count_on(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_for *loop = inst->as.loop;
    const uint32_t counter = tg_shadow_scalar(m->shadow, &loop->counter);
    const uint32_t step = tg_shadow_scalar(m->shadow, &loop->step);
    const uint32_t upper = tg_shadow_scalar(m->shadow, &loop->upper);
    const uint32_t word = counter ? counter : step ? step : upper;
    if (word)
        tg_shadow_fill(m->shadow, &loop->counter,
                       tg_word(tg_word_trail(word), tg_all_bytes(loop->counter.dtype)));
}

void tg_shadow_mapped(tg_machine *m, uint32_t p)
{
    const tg_plan *plan = m->launch->plan;
    const tg_param *param = &plan->kernel->params[p];
    for (int d = 0; d < param->array.rank; d++) {
        const uint32_t word = tg_shadow_scalar(m->shadow, &plan->mappings[p].index[d]);
        if (word)
            tg_shadow_found(m, TG_FINDING_UNDEFINED_ADDRESS, NULL, param, word,
                            "the index for dimension %d that the index map of %s gives", d,
                            param->name);
    }
}

static void look_at_part(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_part *part = inst->as.part;
    const tg_param *param =
        part->root == UINT32_MAX ? NULL : &m->launch->plan->kernel->params[part->root];
    for (int d = 0; d < part->type.rank; d++) {
        const uint32_t start = tg_shadow_scalar(m->shadow, &part->starts[d]);
        const uint32_t word = start ? start : tg_shadow_scalar(m->shadow, &part->sizes[d]);
        if (word)
            tg_shadow_found(m, TG_FINDING_UNDEFINED_ADDRESS, inst, param, word,
                            "where %s begins or ends in dimension %d", tg_ops[inst->op].name, d);
    }
}

/* ---- what moves and computes ---- */

static void swap_slots(tg_shadow *s, const struct tg_inst_exchange *e)
{
    uint32_t *words = s->words[e->a];
    const bool is_flagged = s->is_flagged[e->a];
    s->words[e->a] = s->words[e->b];
    s->is_flagged[e->a] = s->is_flagged[e->b];
    s->words[e->b] = words;
    s->is_flagged[e->b] = is_flagged;
}

typedef struct look {
    const tg_shadow *s;
    bool counts_written, is_undefined;
} look;

static void look_at_operand(void *context, const tg_operand *o, bool is_written)
{
    look *l = context;
    if (l->s->is_flagged[o->slot] && (!is_written || l->counts_written)) l->is_undefined = true;
}

/* Whether what the instruction writes is a part of what was there, which it goes by as well. */
static bool reads_written(const tg_inst *inst)
{
    return inst->kind == TG_I_SCATTER || inst->kind == TG_I_DYNAMIC || inst->kind == TG_I_FOR_NEXT;
}

/* Whether something that is undefined goes into it. */
static bool has_undefined(const tg_shadow *s, const tg_inst *inst)
{
    look l = {.s = s, .counts_written = reads_written(inst)};
    tg_inst_operands(inst, look_at_operand, &l);
    return l.is_undefined;
}

/* Whether what the shadow speaks of may begin here. */
static bool is_origin(const tg_shadow *s, const tg_inst *inst)
{
    if (s->all->kind != TG_SHADOW_UNDEFINED)
        return tg_arithmetic_lanes(&s->all->arithmetic, inst) != NULL;
    return inst->kind == TG_I_GATHER && inst->as.gather->fills && !inst->as.gather->has_fill_value;
}

static void define_written(void *context, const tg_operand *o, bool is_written)
{
    if (is_written) tg_shadow_define(context, o);
}

static void compute(tg_machine *m, const tg_inst *inst, const tg_bound_group *group)
{
    switch (inst->kind) {
    case TG_I_GROUP: tg_shadow_group(m, inst, group); return;
    case TG_I_COPY: tg_shadow_copy(m, inst); return;
    case TG_I_REDUCE:
    case TG_I_ARG_REDUCE: tg_shadow_reduce(m, inst); return;
    case TG_I_SCAN: tg_shadow_scan(m, inst); return;
    case TG_I_DOT: tg_shadow_dot(m, inst); return;
    case TG_I_SORT: tg_shadow_sort(m, inst); return;
    case TG_I_GATHER: tg_shadow_gather(m, inst); return;
    case TG_I_SCATTER: tg_shadow_scatter(m, inst); return;
    case TG_I_DYNAMIC: tg_shadow_dynamic(m, inst); return;
    case TG_I_BITCAST: tg_shadow_bitcast(m, inst); return;
    case TG_I_PART: look_at_part(m, inst); return;
    case TG_I_SEMAPHORE:
        look_at_condition(m, inst, &inst->as.semaphore->value, "the amount");
        if (inst->as.semaphore->has_chain)
            look_at_condition(m, inst, &inst->as.semaphore->chain, "the chain");
        return;
    case TG_I_VIEW: tg_shadow_positions(m, inst, &inst->as.view->access); return;
    case TG_I_SWITCH: look_at_condition(m, inst, &inst->as.on->on, "the condition"); return;
    case TG_I_CHECK:
        look_at_condition(m, inst, &inst->as.print->condition, "the condition");
        return;
    case TG_I_FOR_TEST: look_at_loop(m, inst); return;
    case TG_I_FOR_NEXT: count_on(m, inst); return;
    default: return;
    }
}

/* Of a group that is run once the outputs are there, and defined. */
static bool is_always_defined(const tg_shadow *s, const tg_inst *inst)
{
    return s->all->kind == TG_SHADOW_UNDEFINED && inst->kind == TG_I_GROUP &&
           inst->as.group->is_once;
}

/* Whether neither a slot nor memory is marked. */
static bool is_clear(tg_shadow *s)
{
    if (s->flagged == 0) return !__atomic_load_n(&s->all->has_marked, __ATOMIC_RELAXED);
    __atomic_store_n(&s->all->has_marked, true, __ATOMIC_RELAXED);
    return false;
}

static void access_memory(tg_machine *m, const tg_inst *inst)
{
    if (is_clear(m->shadow)) return;
    if (inst->kind == TG_I_LOAD)
        tg_shadow_load(m, inst);
    else if (inst->kind == TG_I_STORE)
        tg_shadow_store(m, inst);
    else
        tg_shadow_atomic(m, inst);
}

void tg_shadow_step(tg_machine *m, const tg_inst *inst, const tg_bound_group *group)
{
    tg_shadow *s = m->shadow;
    switch (inst->kind) {
    case TG_I_SCOPE: tg_shadow_scope(m, inst); return;
    case TG_I_LOAD:
    case TG_I_STORE:
    case TG_I_ATOMIC: access_memory(m, inst); return;
    case TG_I_TARGET:
    case TG_I_GUARD:
    case TG_I_PRINT: return;
    default: break;
    }
    const bool begins = is_origin(s, inst);
    if ((s->flagged == 0 && !begins) || is_always_defined(s, inst)) return;
    if (inst->kind == TG_I_EXCHANGE)
        swap_slots(s, &inst->as.exchange);
    else if (begins || has_undefined(s, inst))
        compute(m, inst, group);
    else
        tg_inst_operands(inst, define_written, s);
}
