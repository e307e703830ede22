/* Called before each instruction: updates the shadows, and reports if an element whose shadow is
 * set decides anything here.  While no slot is flagged, most instructions cost a single test. */
#include "checks/undefined/instructions.h"

#include "checks/undefined/blocks.h"
#include "checks/undefined/boxes.h"
#include "checks/undefined/elements.h"
#include "checks/undefined/found.h"
#include "checks/undefined/group.h"
#include "checks/undefined/inline_ptx.h"
#include "checks/undefined/memories.h"
#include "checks/undefined/moves.h"
#include "checks/undefined/slots.h"

/* ---- conditions ---- */

static void look_at_condition(tg_machine *m, const tg_inst *inst, const tg_operand *o,
                              const char *what)
{
    const uint32_t word = tg_shadow_scalar(tg_shadow_of(m), o);
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

/* The new counter depends on the old counter and the step. */
static void count_on(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_for *loop = inst->as.loop;
    const uint32_t counter = tg_shadow_scalar(tg_shadow_of(m), &loop->counter);
    const uint32_t step = tg_shadow_scalar(tg_shadow_of(m), &loop->step);
    const uint32_t upper = tg_shadow_scalar(tg_shadow_of(m), &loop->upper);
    const uint32_t word = counter ? counter : step ? step : upper;
    if (word)
        tg_shadow_fill(tg_shadow_of(m), &loop->counter,
                       tg_word(tg_word_trail(word), tg_all_bytes(loop->counter.dtype)));
}

void tg_shadow_mapped(tg_machine *m, uint32_t p)
{
    const tg_plan *plan = m->launch->plan;
    const tg_param *param = &plan->kernel->params[p];
    for (int d = 0; d < param->array.rank; d++) {
        const uint32_t word = tg_shadow_scalar(tg_shadow_of(m), &plan->mappings[p].index[d]);
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
        const uint32_t start = tg_shadow_scalar(tg_shadow_of(m), &part->starts[d]);
        const uint32_t word = start ? start : tg_shadow_scalar(tg_shadow_of(m), &part->sizes[d]);
        if (word)
            tg_shadow_found(m, TG_FINDING_UNDEFINED_ADDRESS, inst, param, word,
                            "where %s begins or ends in dimension %d", tg_ops[inst->op].name, d);
    }
}

/* ---- instructions that move or compute values ---- */

static void swap_slots(tg_machine *m, const tg_inst *inst)
{
    tg_shadow *s = tg_shadow_of(m);
    const struct tg_inst_exchange *e = &inst->as.exchange;
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

/* Returns whether an operand of the instruction is undefined. */
static bool has_undefined(const tg_shadow *s, const tg_inst *inst)
{
    look l = {.s = s, .counts_written = tg_inst_traits[inst->kind] & TG_INST_UPDATES};
    tg_inst_operands(inst, look_at_operand, &l);
    return l.is_undefined;
}

/* Returns whether the instruction may be the origin of a shadow. */
static bool is_origin(const tg_shadow *s, const tg_inst *inst)
{
    if (s->all->kind != TG_SHADOW_UNDEFINED)
        return tg_arithmetic_ops(&s->all->arithmetic, inst) != NULL;
    return inst->kind == TG_I_GATHER && inst->as.gather->fills && !inst->as.gather->has_fill_value;
}

static void define_written(void *context, const tg_operand *o, bool is_written)
{
    if (is_written) tg_shadow_define(context, o);
}

static void look_at_semaphore(tg_machine *m, const tg_inst *inst)
{
    look_at_condition(m, inst, &inst->as.semaphore->value, "the amount");
    if (inst->as.semaphore->has_chain)
        look_at_condition(m, inst, &inst->as.semaphore->chain, "the chain");
}

static void look_at_async_group(tg_machine *m, const tg_inst *inst)
{
    if (inst->as.async_group->waits)
        look_at_condition(m, inst, &inst->as.async_group->newest, "the number of groups");
}

static void look_at_barrier(tg_machine *m, const tg_inst *inst)
{
    if (inst->as.barrier->expects)
        look_at_condition(m, inst, &inst->as.barrier->bytes, "the number of bytes");
}

static void look_at_view(tg_machine *m, const tg_inst *inst)
{
    tg_shadow_positions(m, inst, &inst->as.view->access);
}

static void look_at_switch(tg_machine *m, const tg_inst *inst)
{
    look_at_condition(m, inst, &inst->as.on->on, "the condition");
}

static void look_at_check(tg_machine *m, const tg_inst *inst)
{
    look_at_condition(m, inst, &inst->as.print->condition, "the condition");
}

/* For a group that runs once: its outputs exist already, and are defined. */
static bool is_always_defined(const tg_shadow *s, const tg_inst *inst)
{
    return s->all->kind == TG_SHADOW_UNDEFINED && inst->kind == TG_I_GROUP &&
           inst->as.group->is_once;
}

/* Returns whether neither a slot nor memory is marked. */
static bool is_clear(tg_shadow *s)
{
    if (s->flagged == 0) return !__atomic_load_n(&s->all->has_marked, __ATOMIC_RELAXED);
    __atomic_store_n(&s->all->has_marked, true, __ATOMIC_RELAXED);
    return false;
}

/* ---- the rules ---- */

typedef enum when {
    NEVER,
    ALWAYS,
    MEMORY,  /* if a slot or memory is marked */
    SLOTS,   /* if a slot is marked */
    OPERANDS /* if an operand is marked or this may be an origin; otherwise results are defined */
} when;

typedef struct rule {
    when when;
    void (*apply)(tg_machine *m, const tg_inst *inst);
} rule;

/* A rule for each row of plan/insts.def. */
#define RULE_GROUP                                                                                 \
    {                                                                                              \
        OPERANDS, tg_shadow_group                                                                  \
    }
#define RULE_COPY                                                                                  \
    {                                                                                              \
        OPERANDS, tg_shadow_copy                                                                   \
    }
#define RULE_REDUCE                                                                                \
    {                                                                                              \
        OPERANDS, tg_shadow_reduce                                                                 \
    }
#define RULE_ARG_REDUCE                                                                            \
    {                                                                                              \
        OPERANDS, tg_shadow_reduce                                                                 \
    }
#define RULE_SCAN                                                                                  \
    {                                                                                              \
        OPERANDS, tg_shadow_scan                                                                   \
    }
#define RULE_DOT                                                                                   \
    {                                                                                              \
        OPERANDS, tg_shadow_dot                                                                    \
    }
#define RULE_GATHER                                                                                \
    {                                                                                              \
        OPERANDS, tg_shadow_gather                                                                 \
    }
#define RULE_SCATTER                                                                               \
    {                                                                                              \
        OPERANDS, tg_shadow_scatter                                                                \
    }
#define RULE_SORT                                                                                  \
    {                                                                                              \
        OPERANDS, tg_shadow_sort                                                                   \
    }
#define RULE_INLINE_PTX                                                                            \
    {                                                                                              \
        OPERANDS, tg_shadow_inline_ptx                                                             \
    }
#define RULE_BITCAST                                                                               \
    {                                                                                              \
        OPERANDS, tg_shadow_bitcast                                                                \
    }
#define RULE_DYNAMIC                                                                               \
    {                                                                                              \
        OPERANDS, tg_shadow_dynamic                                                                \
    }
#define RULE_PROGRAM_ID                                                                            \
    {                                                                                              \
        OPERANDS, NULL                                                                             \
    }
#define RULE_NUM_PROGRAMS                                                                          \
    {                                                                                              \
        OPERANDS, NULL                                                                             \
    }
#define RULE_CANCEL                                                                                \
    {                                                                                              \
        OPERANDS, NULL                                                                             \
    }
#define RULE_VIEW                                                                                  \
    {                                                                                              \
        OPERANDS, look_at_view                                                                     \
    }
#define RULE_PART                                                                                  \
    {                                                                                              \
        OPERANDS, look_at_part                                                                     \
    }
#define RULE_RECAST                                                                                \
    {                                                                                              \
        NEVER, NULL                                                                                \
    }
#define RULE_SCOPE                                                                                 \
    {                                                                                              \
        ALWAYS, tg_shadow_scope                                                                    \
    }
#define RULE_SCOPE_END                                                                             \
    {                                                                                              \
        NEVER, NULL                                                                                \
    }
#define RULE_LOAD                                                                                  \
    {                                                                                              \
        MEMORY, tg_shadow_load                                                                     \
    }
#define RULE_TARGET                                                                                \
    {                                                                                              \
        NEVER, NULL                                                                                \
    }
#define RULE_STORE                                                                                 \
    {                                                                                              \
        MEMORY, tg_shadow_store                                                                    \
    }
#define RULE_ATOMIC                                                                                \
    {                                                                                              \
        MEMORY, tg_shadow_atomic                                                                   \
    }
#define RULE_SEMAPHORE                                                                             \
    {                                                                                              \
        OPERANDS, look_at_semaphore                                                                \
    }
#define RULE_BARRIER                                                                               \
    {                                                                                              \
        OPERANDS, look_at_barrier                                                                  \
    }
#define RULE_DMA                                                                                   \
    {                                                                                              \
        NEVER, NULL                                                                                \
    } /* copies move marked elements when they take place */
#define RULE_PRODUCT                                                                               \
    {                                                                                              \
        NEVER, NULL                                                                                \
    } /* the sum is marked when the product takes place */
#define RULE_ARRIVAL                                                                               \
    {                                                                                              \
        NEVER, NULL                                                                                \
    }
#define RULE_ASYNC_GROUP                                                                           \
    {                                                                                              \
        OPERANDS, look_at_async_group                                                              \
    }
#define RULE_PROXY_FENCE                                                                           \
    {                                                                                              \
        NEVER, NULL                                                                                \
    }
#define RULE_COLLECTIVE                                                                            \
    {                                                                                              \
        NEVER, NULL                                                                                \
    }
#define RULE_GUARD                                                                                 \
    {                                                                                              \
        NEVER, NULL                                                                                \
    }
#define RULE_PRINT                                                                                 \
    {                                                                                              \
        NEVER, NULL                                                                                \
    }
#define RULE_CHECK                                                                                 \
    {                                                                                              \
        OPERANDS, look_at_check                                                                    \
    }
#define RULE_EXCHANGE                                                                              \
    {                                                                                              \
        SLOTS, swap_slots                                                                          \
    }
#define RULE_JUMP                                                                                  \
    {                                                                                              \
        NEVER, NULL                                                                                \
    }
#define RULE_SWITCH                                                                                \
    {                                                                                              \
        OPERANDS, look_at_switch                                                                   \
    }
#define RULE_FOR_TEST                                                                              \
    {                                                                                              \
        OPERANDS, look_at_loop                                                                     \
    }
#define RULE_FOR_NEXT                                                                              \
    {                                                                                              \
        OPERANDS, count_on                                                                         \
    }
#define RULE_END                                                                                   \
    {                                                                                              \
        NEVER, NULL                                                                                \
    }

static const rule rules[TG_I_KIND_COUNT] = {
#define TG_INST(ID, id, body, visible, traits, names) [TG_I_##ID] = RULE_##ID,
#include "plan/insts.def"
};

static void apply_to_operands(tg_machine *m, const tg_inst *inst, const rule *of)
{
    tg_shadow *s = tg_shadow_of(m);
    const bool begins = is_origin(s, inst);
    if ((s->flagged == 0 && !begins) || is_always_defined(s, inst)) return;
    if (!begins && !has_undefined(s, inst))
        tg_inst_operands(inst, define_written, s);
    else if (of->apply)
        of->apply(m, inst);
}

void tg_shadow_step(tg_machine *m, const tg_inst *inst)
{
    const rule *of = &rules[inst->kind];
    switch (of->when) {
    case NEVER: return;
    case ALWAYS: of->apply(m, inst); return;
    case MEMORY:
        if (!is_clear(tg_shadow_of(m))) of->apply(m, inst);
        return;
    case SLOTS:
        if (tg_shadow_of(m)->flagged) of->apply(m, inst);
        return;
    case OPERANDS: apply_to_operands(m, inst, of); return;
    }
}
