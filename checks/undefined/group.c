/* Groups that have undefined operands, or arithmetic that may go wrong: runs their ops again, strip
 * by strip, with the shadows of each strip.  Computes values only where a rule reads them. */
#include "checks/undefined/group.h"

#include <string.h>

#include "checks/undefined/elementwise.h"
#include "checks/undefined/runs.h"
#include "checks/undefined/slots.h"
#include "checks/undefined/step_trail.h"
#include "checks/undefined/values.h"
#include "interp/state/operand.h"

enum { VALUE_BYTES = TG_SHADOW_STRIP * 8, WORD_BYTES = TG_SHADOW_STRIP * sizeof(uint32_t) };

/* A register, an input or an output of the group. */
typedef struct strip {
    unsigned char *values;
    uint32_t *words;
    bool is_undefined; /* `words` is valid; otherwise all elements are defined */
} strip;

typedef struct group_walk {
    tg_machine *m;
    const tg_bound_group *bound;
    const tg_group *g;
    const tg_inst *inst;
    bool has_values;
    /* Arithmetic may go wrong here: which values are needed, see arithmetic.h. */
    const bool *asked_for;
    strip *strips; /* registers, inputs, outputs */
} group_walk;

static uint32_t strip_count(const tg_group *g)
{
    return g->register_count + g->input_count + g->output_count;
}

static strip *strip_of(const group_walk *w, tg_place place)
{
    const tg_group *g = w->g;
    switch ((tg_place_kind)place.kind) {
    case TG_PLACE_REGISTER: return &w->strips[place.index];
    case TG_PLACE_INPUT: return &w->strips[g->register_count + place.index];
    default: return &w->strips[g->register_count + g->input_count + place.index];
    }
}

static strip *get_strips(tg_shadow *s, const tg_group *g)
{
    const size_t count = strip_count(g);
    strip *strips = tg_shadow_room(s, count * (sizeof *strips + VALUE_BYTES + WORD_BYTES));
    if (!strips) return NULL;
    unsigned char *values = (unsigned char *)(strips + count);
    uint32_t *words = (uint32_t *)(void *)(values + count * VALUE_BYTES);
    for (size_t i = 0; i < count; i++)
        strips[i] = (strip){values + i * VALUE_BYTES, words + i * TG_SHADOW_STRIP, false};
    return strips;
}

static bool needs_values(const tg_group *g)
{
    for (uint32_t l = 0; l < g->op_count; l++)
        if (tg_group_op_needs_values(&g->ops[l])) return true;
    return false;
}

static bool has_word(const uint32_t *words, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (words[i]) return true;
    return false;
}

static void take_words(const group_walk *w, uint32_t i, int64_t first, int64_t count)
{
    const tg_operand *o = &w->g->inputs[i];
    strip *s = strip_of(w, (tg_place){TG_PLACE_INPUT, (uint16_t)i});
    s->is_undefined = false;
    if (!tg_shadow_of(w->m)->is_flagged[o->slot]) return;
    const tg_view words = tg_shadow_view(tg_shadow_of(w->m), o);
    tg_take_run(&words, first, count, sizeof(uint32_t), s->words);
    s->is_undefined = has_word(s->words, count);
}

static void take_values(const group_walk *w, uint32_t i, int64_t first, int64_t count)
{
    if (w->asked_for && !w->asked_for[w->g->op_count + i]) return;
    const tg_operand *o = &w->g->inputs[i];
    strip *s = strip_of(w, (tg_place){TG_PLACE_INPUT, (uint16_t)i});
    if (w->g->count == 1) { /* read where it is */
        s->values = tg_operand_at(w->m, o);
        return;
    }
    const tg_view values = tg_operand_view(w->m, o);
    tg_take_run(&values, first, count, tg_carrier_bytes[tg_carrier_of(o->dtype)], s->values);
}

static void compute_values(const group_walk *w, uint32_t l, int64_t count)
{
    const tg_group_op *op = &w->g->ops[l];
    const tg_elementwise_call *call = &w->bound->ops[l];
    const void *src[TG_MAX_OP_INPUTS];
    for (uint32_t i = 0; i < op->in_count; i++) src[i] = strip_of(w, op->in[i])->values;
    void *dst = strip_of(w, op->out)->values;
    call->compute(dst, src, 0, (size_t)count, op->imm);
    const void *again = dst;
    if (call->finish) call->finish(dst, &again, 0, (size_t)count, 0);
}

/* Finds the elements for which the op goes wrong, except those whose shadow is already set. */
static bool find_failures(const group_walk *w, uint32_t l, const tg_group_op_shadow *shadow,
                          bool is_clear)
{
    const tg_group_op *op = shadow->op;
    tg_step_trail step = tg_step_of(w->m, w->inst, l);
    const uint32_t origin = tg_word(TG_VALUE_TRAIL, 1);
    bool has_failed = false;
    for (size_t i = 0; i < shadow->count; i++) {
        if (!is_clear && shadow->out[i]) continue;
        if (!tg_arithmetic_fails(op, shadow->values, i)) continue;
        if (!has_failed && is_clear) memset(shadow->out, 0, shadow->count * sizeof *shadow->out);
        is_clear = false;
        has_failed = true;
        shadow->out[i] = tg_step_word(&step, origin, tg_all_bytes(op->second));
    }
    return has_failed;
}

/* Shadows first, then values, because a result may overwrite an operand. */
static void run_lane(const group_walk *w, uint32_t l, int64_t count)
{
    const tg_group_op *op = &w->g->ops[l];
    strip *out = strip_of(w, op->out);
    tg_group_op_shadow shadow = {.op = op, .out = out->words, .count = (size_t)count};
    bool is_undefined = false;
    for (uint32_t i = 0; i < op->in_count; i++) {
        const strip *in = strip_of(w, op->in[i]);
        shadow.words[i] = in->is_undefined ? in->words : NULL;
        shadow.values[i] = in->values;
        is_undefined = is_undefined || in->is_undefined;
    }
    if (is_undefined) {
        tg_step_trail step = tg_step_of(w->m, w->inst, l);
        tg_group_op_rule(&shadow, &step);
    }
    if (w->asked_for && tg_arithmetic_may_fail(op, tg_shadow_of(w->m)->all->kind) &&
        find_failures(w, l, &shadow, !is_undefined))
        is_undefined = true;
    out->is_undefined = is_undefined;
    if (w->asked_for ? w->asked_for[l] : w->has_values) compute_values(w, l, count);
}

static void put_output(const group_walk *w, uint32_t i, int64_t first, int64_t count)
{
    const tg_operand *o = &w->g->outputs[i];
    const strip *s = strip_of(w, (tg_place){TG_PLACE_OUTPUT, (uint16_t)i});
    const tg_view words = tg_shadow_view(tg_shadow_of(w->m), o);
    if (!tg_shadow_of(w->m)->is_flagged[o->slot]) return; /* memory for words ran out */
    if (!s->is_undefined) memset(s->words, 0, (size_t)count * sizeof *s->words);
    tg_put_run(&words, first, count, sizeof(uint32_t), s->words);
}

static void run_strip(const group_walk *w, int64_t first, int64_t count)
{
    bool is_undefined = w->asked_for != NULL;
    for (uint32_t i = 0; i < w->g->input_count; i++) {
        take_words(w, i, first, count);
        is_undefined =
            is_undefined || strip_of(w, (tg_place){TG_PLACE_INPUT, (uint16_t)i})->is_undefined;
    }
    for (uint32_t i = 0; is_undefined && w->has_values && i < w->g->input_count; i++)
        take_values(w, i, first, count);
    for (uint32_t i = 0; i < w->g->output_count; i++)
        strip_of(w, (tg_place){TG_PLACE_OUTPUT, (uint16_t)i})->is_undefined = false;
    for (uint32_t l = 0; is_undefined && l < w->g->op_count; l++) run_lane(w, l, count);
    for (uint32_t i = 0; i < w->g->output_count; i++) put_output(w, i, first, count);
}

/* Returns whether an op goes wrong in this strip; no operand of the group is marked yet. */
static bool strip_fails(const group_walk *w, int64_t first, int64_t count)
{
    for (uint32_t i = 0; i < w->g->input_count; i++) take_values(w, i, first, count);
    for (uint32_t l = 0; l < w->g->op_count; l++) {
        const tg_group_op *op = &w->g->ops[l];
        const void *operands[TG_MAX_OP_INPUTS];
        for (uint32_t i = 0; i < op->in_count; i++) operands[i] = strip_of(w, op->in[i])->values;
        if (tg_arithmetic_may_fail(op, tg_shadow_of(w->m)->all->kind) &&
            tg_arithmetic_any_fails(op, operands, (size_t)count))
            return true;
        if (w->asked_for[l]) compute_values(w, l, count);
    }
    return false;
}

static int64_t strip_length(const tg_group *g, int64_t first)
{
    const int64_t left = g->count - first;
    return left < TG_SHADOW_STRIP ? left : TG_SHADOW_STRIP;
}

/* Returns whether the group leaves nothing marked: no operand is marked, and nothing goes wrong. */
static bool stays_clear(const group_walk *w)
{
    if (!w->asked_for) return false;
    for (uint32_t i = 0; i < w->g->input_count; i++)
        if (tg_shadow_of(w->m)->is_flagged[w->g->inputs[i].slot]) return false;
    for (int64_t first = 0; first < w->g->count; first += TG_SHADOW_STRIP)
        if (strip_fails(w, first, strip_length(w->g, first))) return false;
    return true;
}

void tg_shadow_group(tg_machine *m, const tg_inst *inst)
{
    const tg_bound_group *bound = &m->bound->groups[m->pc];
    const tg_group *g = bound->group;
    group_walk w = {.m = m,
                    .bound = bound,
                    .g = g,
                    .inst = inst,
                    .asked_for = tg_arithmetic_ops(&tg_shadow_of(m)->all->arithmetic, inst),
                    .strips = get_strips(tg_shadow_of(m), g)};
    if (!w.strips || g->count == 0) return;
    w.has_values = w.asked_for || needs_values(g);
    if (stays_clear(&w)) {
        for (uint32_t i = 0; i < g->output_count; i++)
            tg_shadow_define(tg_shadow_of(m), &g->outputs[i]);
        return;
    }
    for (uint32_t i = 0; i < g->output_count; i++) tg_shadow_open(tg_shadow_of(m), &g->outputs[i]);
    for (int64_t first = 0; first < g->count; first += TG_SHADOW_STRIP)
        run_strip(&w, first, strip_length(g, first));
    for (uint32_t i = 0; i < g->output_count; i++) tg_shadow_close(tg_shadow_of(m), &g->outputs[i]);
}
