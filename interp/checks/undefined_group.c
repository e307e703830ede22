/* Groups in which something is undefined: their lanes once more, strip by strip, with the shadow of each strip beside it.  Values
 * are computed only where some rule looks at them. */
#include <stdlib.h>
#include <string.h>

#include "interp/checks/undefined_impl.h"

enum { VALUE_BYTES = TG_SHADOW_STRIP * 8, WORD_BYTES = TG_SHADOW_STRIP * sizeof(uint32_t) };

/* A register, an input or an output of the group. */
typedef struct strip {
    unsigned char *values;
    uint32_t *words;
    bool is_undefined; /* `words` is valid; else all is defined */
} strip;

typedef struct group_walk {
    tg_machine *m;
    const tg_bound_group *bound;
    const tg_group *g;
    const tg_inst *inst;
    bool has_values;
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
    for (uint32_t l = 0; l < g->lane_count; l++)
        if (tg_lane_needs_values(&g->lanes[l])) return true;
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
    if (!w->m->shadow->is_flagged[o->slot]) return;
    const tg_view words = tg_shadow_view(w->m->shadow, o);
    tg_take_run(&words, first, count, sizeof(uint32_t), s->words);
    s->is_undefined = has_word(s->words, count);
}

static void take_values(const group_walk *w, uint32_t i, int64_t first, int64_t count)
{
    const tg_operand *o = &w->g->inputs[i];
    const tg_view values = tg_operand_view(w->m, o);
    tg_take_run(&values, first, count, tg_carrier_bytes[tg_carrier_of(o->dtype)],
                strip_of(w, (tg_place){TG_PLACE_INPUT, (uint16_t)i})->values);
}

static void compute_values(const group_walk *w, uint32_t l, int64_t count)
{
    const tg_lane *lane = &w->g->lanes[l];
    const tg_lane_op *op = &w->bound->ops[l];
    const void *src[TG_MAX_LANE_INPUTS];
    for (uint32_t i = 0; i < lane->in_count; i++) src[i] = strip_of(w, lane->in[i])->values;
    void *dst = strip_of(w, lane->out)->values;
    op->compute(dst, src, 0, (size_t)count, lane->imm);
    const void *again = dst;
    if (op->finish) op->finish(dst, &again, 0, (size_t)count, 0);
}

/* Shadows before values: a result may take the place of an operand. */
static void run_lane(const group_walk *w, uint32_t l, int64_t count)
{
    const tg_lane *lane = &w->g->lanes[l];
    strip *out = strip_of(w, lane->out);
    tg_lane_shadow shadow = {.lane = lane, .out = out->words, .count = (size_t)count};
    bool is_undefined = false;
    for (uint32_t i = 0; i < lane->in_count; i++) {
        const strip *in = strip_of(w, lane->in[i]);
        shadow.words[i] = in->is_undefined ? in->words : NULL;
        shadow.values[i] = in->values;
        is_undefined = is_undefined || in->is_undefined;
    }
    if (is_undefined) {
        tg_step_trail step = tg_step_of(w->m, w->inst, l);
        tg_lane_rule(&shadow, &step);
    }
    out->is_undefined = is_undefined;
    if (w->has_values) compute_values(w, l, count);
}

static void put_output(const group_walk *w, uint32_t i, int64_t first, int64_t count)
{
    const tg_operand *o = &w->g->outputs[i];
    const strip *s = strip_of(w, (tg_place){TG_PLACE_OUTPUT, (uint16_t)i});
    const tg_view words = tg_shadow_view(w->m->shadow, o);
    if (!w->m->shadow->is_flagged[o->slot]) return; /* no memory for them */
    if (!s->is_undefined) memset(s->words, 0, (size_t)count * sizeof *s->words);
    tg_put_run(&words, first, count, sizeof(uint32_t), s->words);
}

static void run_strip(const group_walk *w, int64_t first, int64_t count)
{
    bool is_undefined = false;
    for (uint32_t i = 0; i < w->g->input_count; i++) {
        take_words(w, i, first, count);
        is_undefined =
            is_undefined || strip_of(w, (tg_place){TG_PLACE_INPUT, (uint16_t)i})->is_undefined;
    }
    for (uint32_t i = 0; is_undefined && w->has_values && i < w->g->input_count; i++)
        take_values(w, i, first, count);
    for (uint32_t i = 0; i < w->g->output_count; i++)
        strip_of(w, (tg_place){TG_PLACE_OUTPUT, (uint16_t)i})->is_undefined = false;
    for (uint32_t l = 0; is_undefined && l < w->g->lane_count; l++) run_lane(w, l, count);
    for (uint32_t i = 0; i < w->g->output_count; i++) put_output(w, i, first, count);
}

void tg_shadow_group(tg_machine *m, const tg_inst *inst, const tg_bound_group *bound)
{
    const tg_group *g = bound->group;
    group_walk w = {.m = m,
                    .bound = bound,
                    .g = g,
                    .inst = inst,
                    .has_values = needs_values(g),
                    .strips = get_strips(m->shadow, g)};
    if (!w.strips || g->count == 0) return;
    for (uint32_t i = 0; i < g->output_count; i++) tg_shadow_open(m->shadow, &g->outputs[i]);
    for (int64_t first = 0; first < g->count; first += TG_SHADOW_STRIP) {
        const int64_t left = g->count - first;
        run_strip(&w, first, left < TG_SHADOW_STRIP ? left : TG_SHADOW_STRIP);
    }
    for (uint32_t i = 0; i < g->output_count; i++) tg_shadow_close(m->shadow, &g->outputs[i]);
}
