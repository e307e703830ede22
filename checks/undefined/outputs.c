#include "checks/undefined/outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/list.h"
#include "checks/undefined/arithmetic_found.h"
#include "checks/undefined/memories.h"
#include "checks/undefined/origins.h"
#include "plan/program_text.h"

/* Elements that one op of the source stored and that have one origin: the first of them, with its
 * trail. */
typedef struct kept {
    tg_opcode op; /* TG_OP_COUNT: some store */
    uint32_t loc, origin, before;
    uint64_t number; /* of the origin */
    int64_t program_index, first, last, count;
} kept;

typedef struct report {
    tg_undefined *all;
    int64_t per_element; /* places of an element */
    kept *list;
    size_t count, room;
    uint32_t known_trail; /* the last trail that was looked up, and its index in the list */
    size_t known;
    bool is_incomplete;
} report;

static kept *entry_for(report *r, const tg_trail *store, uint32_t origin)
{
    uint32_t loc = r->all->plan->kernel->loc;
    const tg_opcode op = tg_trail_op(store, &loc);
    for (size_t i = 0; i < r->count; i++) {
        kept *k = &r->list[i];
        if (k->op == op && k->loc == loc && k->number == tg_origin_number(r->all, origin)) return k;
    }
    kept *list = tg_list_grow(r->list, r->count, &r->room, sizeof *list);
    if (!list) {
        r->is_incomplete = true;
        return NULL;
    }
    r->list = list;
    r->list[r->count] =
        (kept){.op = op, .loc = loc, .origin = origin, .number = tg_origin_number(r->all, origin)};
    return &r->list[r->count++];
}

/* Places come in ascending order; places of one element count once. */
static void note_run(void *context, uint32_t word, int64_t first, int64_t count)
{
    report *r = context;
    const uint32_t trail = tg_word_trail(word);
    if (!trail) return;
    const tg_trail t = tg_trails_get(&r->all->trails, trail);
    if (t.kind != TG_TRAIL_KEPT && t.kind != TG_TRAIL_LOST) return; /* no program wrote it */
    const int64_t from = first / r->per_element, to = (first + count - 1) / r->per_element;
    kept *k = trail == r->known_trail ? &r->list[r->known]
                                      : entry_for(r, &t, tg_trail_origin_of(r->all, trail));
    if (!k) return;
    r->known_trail = trail;
    r->known = (size_t)(k - r->list);
    if (k->count == 0) {
        k->program_index = t.kind == TG_TRAIL_KEPT ? t.program_index : -1;
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
        tg_program_print(r->all->plan->kernel, r->all->grid.size, found->at.program,
                         program + used);
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
                      .at = {.op = k->op, .loc = k->loc, .has_program = k->program_index >= 0},
                      .has_elements = true,
                      .first = k->first,
                      .last = k->last,
                      .program_index = k->program_index >= 0 ? k->program_index : INT64_MAX,
                      .count = k->count,
                      .other = k->number};
    if (k->program_index >= 0)
        tg_grid_coordinates(&r->all->grid, k->program_index, found.at.program);
    describe(r, k, &found);
    tg_findings_add(findings, &found);
}

/* Returns the output whose memory `param` owns, or NULL. */
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
    tg_shadow_memories_tell(all, run->launch);
    if (!run->is_whole) return true;
    bool is_complete = !all->is_incomplete && !all->trails.is_incomplete;
    if (all->kind == TG_SHADOW_OVERFLOW)
        return is_complete; /* only values that become part of an address count */
    for (uint32_t p = 0; p < k->param_count; p++) {
        tg_plane *plane = &all->planes[p];
        const tg_param *output = output_of(k, p);
        if (!plane->groups || !output) continue;
        report r = {.all = all};
        r.per_element = (int64_t)(tg_dtypes[k->params[p].array.dtype].bytes / all->params[p].width);
        tg_plane_visit(plane, 0, plane->count, note_run, &r);
        for (size_t i = 0; i < r.count; i++) add_finding(&r, &r.list[i], output, run->findings);
        is_complete = is_complete && !r.is_incomplete && !plane->is_incomplete;
        free(r.list);
    }
    return is_complete;
}
