/* Findings: where an undefined element decides something, and what of it outputs keep when a run is over. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/undefined_impl.h"
#include "base/list.h"

/* ---- trails as text and as places ---- */

static uint32_t origin_of(tg_undefined *all, uint32_t trail)
{
    for (;;) {
        const tg_trail t = tg_trails_get(&all->trails, trail);
        if (tg_trail_is_origin(&t)) return trail;
        trail = t.before;
    }
}

static const char *name_of(const tg_undefined *all, uint32_t param)
{
    return param == UINT32_MAX ? "scoped memory" : all->plan->kernel->params[param].name;
}

char *tg_origin_print(tg_undefined *all, uint32_t trail, char out[TG_ORIGIN_TEXT])
{
    const tg_trail t = tg_trails_get(&all->trails, origin_of(all, trail));
    const char *name = name_of(all, t.param);
    const char *format = "%s";
    switch (t.kind) {
    case TG_TRAIL_OUTSIDE: format = "what lies outside of %s"; break;
    case TG_TRAIL_SCRATCH: format = "scratch %s, which nobody had written"; break;
    case TG_TRAIL_OUTPUT: format = "output %s, which nobody had written"; break;
    case TG_TRAIL_SCOPED: format = "%s, which nobody had written"; break;
    case TG_TRAIL_MASKED: name = "a lane that the mask turns off, without `other`"; break;
    case TG_TRAIL_VALUE: name = "a value that is undefined"; break;
    default: name = "one of many origins, more than are kept apart"; break;
    }
    snprintf(out, TG_ORIGIN_TEXT, format, name);
    return out;
}

/* A number that is the same in every run for one place of origin. */
static uint64_t number_of_origin(tg_undefined *all, uint32_t trail)
{
    const tg_trail t = tg_trails_get(&all->trails, all->kind == TG_SHADOW_UNDEFINED
                                                       ? origin_of(all, trail)
                                                       : tg_trail_first_op(all, trail));
    uint32_t loc = 0;
    const tg_opcode op = tg_trail_op(&t, &loc);
    return (uint64_t)t.kind | (uint64_t)(t.param & 0xffff) << 8 | (uint64_t)op << 24 |
           (uint64_t)loc << 32;
}

static const char *role_of(const tg_trail *trail, tg_opcode op)
{
    switch (trail->kind) {
    case TG_TRAIL_LOST: return "comes from one of many origins";
    case TG_TRAIL_VALUE: return "comes from an undefined value";
    case TG_TRAIL_SCRATCH:
    case TG_TRAIL_OUTPUT: return "comes from memory";
    case TG_TRAIL_OUTSIDE:
    case TG_TRAIL_MASKED:
    case TG_TRAIL_SCOPED: return "comes from";
    default: break;
    }
    if (tg_ops[op].traits & TG_TRAIT_WRITES) return "stored by";
    return tg_ops[op].traits & TG_TRAIT_READS ? "read by" : "computed by";
}

static tg_found_related related_of(const tg_undefined *all, const tg_trail *trail)
{
    const tg_kernel *k = all->plan->kernel;
    uint32_t loc = k->loc;
    const tg_opcode op = tg_trail_op(trail, &loc);
    const bool has_param = tg_trail_is_origin(trail) && trail->param != UINT32_MAX;
    return (tg_found_related){.role = role_of(trail, op),
                              .param = has_param ? &k->params[trail->param] : NULL,
                              .at = {.op = op, .loc = loc}};
}

/* Indices are made 64 bits wide where they are used, which is no op of the source. */
static bool is_widening(const tg_trail *trail, const tg_found *found)
{
    uint32_t loc = 0;
    return trail->kind == TG_TRAIL_OP && tg_trail_op(trail, &loc) == TG_OP_convert &&
           loc == found->at.loc;
}

/* Where there are more places than a finding has room for, those in the middle are left out. */
void tg_trail_relate(tg_undefined *all, uint32_t trail, tg_found *found)
{
    enum { FIRST = TG_MOST_RELATED / 2 };
    for (uint32_t number = trail; number;) {
        const tg_trail t = tg_trails_get(&all->trails, number);
        if (found->related_count == TG_MOST_RELATED)
            memmove(&found->related[FIRST], &found->related[FIRST + 1],
                    (size_t)(--found->related_count - FIRST) * sizeof *found->related);
        if (number != trail || !is_widening(&t, found))
            found->related[found->related_count++] = related_of(all, &t);
        number = t.before;
    }
}

/* ---- where it decides ---- */

void tg_shadow_found(tg_machine *m, tg_finding_kind kind, const tg_inst *inst,
                     const tg_param *param, uint32_t word, const char *format, ...)
{
    tg_undefined *all = tg_shadow_of(m)->all;
    if (all->kind == TG_SHADOW_OVERFLOW && kind != TG_FINDING_UNDEFINED_ADDRESS) return;
    tg_found found = {.kind = kind,
                      .param = param,
                      .at = {.op = inst ? inst->op : TG_OP_COUNT,
                             .loc = inst ? inst->loc : all->plan->kernel->loc,
                             .has_program = true},
                      .order = m->order,
                      .count = 1,
                      .other = number_of_origin(all, tg_word_trail(word))};
    char what[160], origin[TG_ORIGIN_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    memcpy(found.at.program, m->program, sizeof found.at.program);
    if (all->kind == TG_SHADOW_UNDEFINED) {
        snprintf(found.message, sizeof found.message, "%s is undefined: it comes from %s", what,
                 tg_origin_print(all, tg_word_trail(word), origin));
        tg_trail_relate(all, tg_word_trail(word), &found);
    } else {
        snprintf(origin, sizeof origin, "%s goes by it", what);
        tg_arithmetic_found(all, tg_word_trail(word), origin, &found);
    }
    tg_findings_add(m->launch->findings, &found);
}

static const tg_param *param_of(const tg_machine *m, const tg_access_plan *a)
{
    return a->root == UINT32_MAX ? NULL : &m->launch->plan->kernel->params[a->root];
}

void tg_shadow_bad_mask(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, uint32_t word)
{
    tg_shadow_found(m, TG_FINDING_UNDEFINED_ADDRESS, inst, param_of(m, a), word,
                    "the mask by which %s chooses elements of %s", tg_ops[inst->op].name,
                    name_of(tg_shadow_of(m)->all, a->root));
}

void tg_shadow_bad_position(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, int dim,
                            uint32_t word)
{
    tg_shadow_found(m, TG_FINDING_UNDEFINED_ADDRESS, inst, param_of(m, a), word,
                    "the index of %s in dimension %d of %s", tg_ops[inst->op].name, dim,
                    name_of(tg_shadow_of(m)->all, a->root));
}

/* ---- what outputs keep ---- */

/* Elements that one op of the source stored and that have one origin: the first of them and how it came to be so. */
typedef struct kept {
    tg_opcode op; /* TG_OP_COUNT: some store */
    uint32_t loc, origin, before;
    uint64_t number; /* of the origin */
    int64_t order, first, last, count;
} kept;

typedef struct report {
    tg_undefined *all;
    int64_t per_element; /* places of one */
    kept *list;
    size_t count, room;
    uint32_t known_trail; /* the last one that was asked for, and its number in the list */
    size_t known;
    bool is_incomplete;
} report;

static kept *entry_for(report *r, const tg_trail *store, uint32_t origin)
{
    uint32_t loc = r->all->plan->kernel->loc;
    const tg_opcode op = tg_trail_op(store, &loc);
    for (size_t i = 0; i < r->count; i++) {
        kept *k = &r->list[i];
        if (k->op == op && k->loc == loc && k->number == number_of_origin(r->all, origin)) return k;
    }
    kept *list = tg_list_grow(r->list, r->count, &r->room, sizeof *list);
    if (!list) {
        r->is_incomplete = true;
        return NULL;
    }
    r->list = list;
    r->list[r->count] =
        (kept){.op = op, .loc = loc, .origin = origin, .number = number_of_origin(r->all, origin)};
    return &r->list[r->count++];
}

/* Places come in ascending order; those of one element count once. */
static void note_run(void *context, uint32_t word, int64_t first, int64_t count)
{
    report *r = context;
    const uint32_t trail = tg_word_trail(word);
    if (!trail) return;
    const tg_trail t = tg_trails_get(&r->all->trails, trail);
    if (t.kind != TG_TRAIL_KEPT && t.kind != TG_TRAIL_LOST) return; /* nobody wrote it */
    const int64_t from = first / r->per_element, to = (first + count - 1) / r->per_element;
    kept *k =
        trail == r->known_trail ? &r->list[r->known] : entry_for(r, &t, origin_of(r->all, trail));
    if (!k) return;
    r->known_trail = trail;
    r->known = (size_t)(k - r->list);
    if (k->count == 0) {
        k->order = t.kind == TG_TRAIL_KEPT ? t.order : -1;
        k->before = t.kind == TG_TRAIL_KEPT ? t.before : trail;
        k->first = from;
        k->last = from - 1;
    }
    if (to <= k->last) return;
    k->count += to - (from > k->last ? from - 1 : k->last);
    k->last = to;
}

static void describe(const report *r, const kept *k, tg_found *found)
{
    char at[TG_INDEX_TEXT], origin[TG_ORIGIN_TEXT], more[80] = "";
    char program[TG_PROGRAM_TEXT + 8] = "a program", what[700];
    if (found->at.has_program) {
        const size_t used = (size_t)snprintf(program, sizeof program, "program ");
        tg_program_print(r->all->grid.rank, found->at.program, program + used);
    }
    if (k->count > 1) snprintf(more, sizeof more, "; %" PRId64 " elements in all", k->count);
    tg_index_print(&found->param->array, k->first, at);
    if (r->all->kind == TG_SHADOW_UNDEFINED) {
        snprintf(found->message, sizeof found->message,
                 "%s leaves an undefined value in %s%s: it comes from %s%s", program,
                 found->param->name, at, tg_origin_print(r->all, k->origin, origin), more);
        tg_trail_relate(r->all, k->before, found);
    } else {
        snprintf(what, sizeof what, "%s leaves what comes of it in %s%s%s", program,
                 found->param->name, at, more);
        tg_arithmetic_found(r->all, k->before, what, found);
    }
}

static void add_finding(const report *r, const kept *k, const tg_param *param,
                        tg_findings *findings)
{
    tg_found found = {.kind = TG_FINDING_UNDEFINED_OUTPUT,
                      .param = param,
                      .at = {.op = k->op, .loc = k->loc, .has_program = k->order >= 0},
                      .has_elements = true,
                      .first = k->first,
                      .last = k->last,
                      .order = k->order >= 0 ? k->order : INT64_MAX,
                      .count = k->count,
                      .other = k->number};
    if (k->order >= 0) tg_grid_coordinates(&r->all->grid, k->order, found.at.program);
    describe(r, k, &found);
    tg_findings_add(findings, &found);
}

/* The output whose memory `param` owns, or NULL. */
static const tg_param *output_of(const tg_kernel *k, uint32_t param)
{
    if (k->params[param].role == TG_ROLE_OUTPUT) return &k->params[param];
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].role == TG_ROLE_OUTPUT && k->params[p].alias == (int)param)
            return &k->params[p];
    return NULL;
}

bool tg_undefined_report(void *state, tg_run_end *run)
{
    tg_undefined *all = state;
    const tg_kernel *k = all->plan->kernel;
    if (!run->is_whole) return true;
    bool is_complete = !all->is_incomplete && !all->trails.is_incomplete;
    if (all->kind == TG_SHADOW_OVERFLOW)
        return is_complete; /* only what becomes part of an address counts */
    for (uint32_t p = 0; p < k->param_count; p++) {
        const tg_plane *plane = &all->planes[p];
        const tg_param *output = output_of(k, p);
        if (!plane->chunks || !output) continue;
        report r = {.all = all};
        r.per_element = (int64_t)(tg_dtypes[k->params[p].array.dtype].bytes / all->params[p].width);
        tg_plane_visit(plane, 0, plane->count, note_run, &r);
        for (size_t i = 0; i < r.count; i++) add_finding(&r, &r.list[i], output, run->findings);
        is_complete = is_complete && !r.is_incomplete && !plane->is_incomplete;
        free(r.list);
    }
    return is_complete;
}
