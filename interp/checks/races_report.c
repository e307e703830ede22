/* What the sets of accesses tell when a run is over. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/checks/races_impl.h"

/* Two places of the source that conflict: the first element and what is known of all of them. */
typedef struct conflict {
    uint32_t sites[2];
    tg_actor actors[2];
    bool differs;
    int64_t first, last, count; /* elements */
} conflict;

typedef struct report {
    const tg_races *races;
    uint32_t param;
    int64_t per_element; /* places of one */
    conflict *list;
    size_t count, room;
    bool is_incomplete;
} report;

static bool can_conflict(uint32_t a, uint32_t b)
{
    const uint32_t x = a % TG_RACE_KINDS, y = b % TG_RACE_KINDS;
    return x != y || x == TG_RACE_WRITE;
}

static int64_t lesser(tg_actor a, tg_actor b)
{
    return a.program < b.program ? a.program : b.program;
}

static int64_t greater(tg_actor a, tg_actor b)
{
    return a.program < b.program ? b.program : a.program;
}

static bool is_less(tg_actor a, tg_actor b, const tg_actor than[2])
{
    const int64_t low = lesser(than[0], than[1]);
    const int64_t high = greater(than[0], than[1]);
    if (lesser(a, b) != low) return lesser(a, b) < low;
    return greater(a, b) != high ? greater(a, b) < high : a.program < than[0].program;
}

/* The least two actors of different chains, one of each site; false where there are none. */
static bool choose_actors(const tg_site_accesses *a, const tg_site_accesses *b, tg_actor out[2])
{
    bool found = false;
    for (uint32_t i = 0; i < a->actor_count; i++)
        for (uint32_t j = 0; j < b->actor_count; j++) {
            const tg_actor x = a->actors[i], y = b->actors[j];
            if (x.chain == y.chain) continue;
            if (found && !is_less(x, y, out)) continue;
            out[0] = x;
            out[1] = y;
            found = true;
        }
    return found;
}

static uint32_t loc_of(const report *r, uint32_t site)
{
    return tg_race_inst(r->races->plan, site)->loc;
}

/* The entry for the places of the source of `sites`, whichever way round; NULL without memory. */
static conflict *entry_for(report *r, const uint32_t sites[2])
{
    for (size_t i = 0; i < r->count; i++) {
        conflict *c = &r->list[i];
        const uint32_t a = loc_of(r, c->sites[0]), b = loc_of(r, c->sites[1]),
                       x = loc_of(r, sites[0]), y = loc_of(r, sites[1]);
        if ((a == x && b == y) || (a == y && b == x)) return c;
    }
    if (r->count == r->room) {
        const size_t room = r->room ? 2 * r->room : 8;
        conflict *list = realloc(r->list, room * sizeof *list);
        if (!list) return NULL;
        r->list = list;
        r->room = room;
    }
    r->list[r->count] = (conflict){.count = 0};
    return &r->list[r->count++];
}

/* Of what conflicts in one place of the source, what is told: a write and another access, then two writes of different values
 * (which may be the same in another order, where the race decides what is written), then two of the same. */
static int rank_of(const uint32_t sites[2], bool differs)
{
    const bool writes =
        sites[0] % TG_RACE_KINDS == TG_RACE_WRITE && sites[1] % TG_RACE_KINDS == TG_RACE_WRITE;
    return writes ? differs ? 1 : 0 : 2;
}

static void note_conflict(report *r, const uint32_t sites[2], const tg_actor actors[2],
                          bool differs, int64_t first, int64_t last)
{
    conflict *c = entry_for(r, sites);
    if (!c) {
        r->is_incomplete = true;
        return;
    }
    const int rank = rank_of(sites, differs), known = c->count ? rank_of(c->sites, c->differs) : -1;
    if (rank < known) return;
    if (rank > known) {
        *c = (conflict){.differs = differs, .first = first, .last = first - 1};
        memcpy(c->sites, sites, sizeof c->sites);
        memcpy(c->actors, actors, sizeof c->actors);
    }
    if (c->last >= last) return; /* by other ops of the same lines */
    c->count += last - (first > c->last ? first - 1 : c->last);
    c->last = last;
}

/* Where atomics come in between, whether what was written is one value depends on the order. */
static bool has_atomics(const tg_access_set *set)
{
    for (uint32_t i = 0; i < set->site_count; i++)
        if (set->sites[i].site % TG_RACE_KINDS == TG_RACE_ATOMIC) return true;
    return false;
}

/* First is told of who writes; of two who do, the lesser program. */
static int weight_of(uint32_t site)
{
    return site % TG_RACE_KINDS == TG_RACE_WRITE    ? 2
           : site % TG_RACE_KINDS == TG_RACE_ATOMIC ? 1
                                                    : 0;
}

static void report_pair(report *r, const tg_access_set *set, uint32_t i, uint32_t j, int64_t first,
                        int64_t last)
{
    const bool swaps = weight_of(set->sites[j].site) > weight_of(set->sites[i].site);
    const tg_site_accesses *a = &set->sites[swaps ? j : i], *b = &set->sites[swaps ? i : j];
    tg_actor actors[2];
    if (!can_conflict(a->site, b->site) || !choose_actors(a, b, actors)) return;
    const bool turns =
        weight_of(a->site) == weight_of(b->site) && actors[1].program < actors[0].program;
    const uint32_t sites[2] = {turns ? b->site : a->site, turns ? a->site : b->site};
    const tg_actor ordered[2] = {actors[turns], actors[!turns]};
    note_conflict(r, sites, ordered, set->differs || has_atomics(set), first, last);
}

static void report_run(void *context, uint32_t number, int64_t first, int64_t count)
{
    report *r = context;
    const tg_access_set *set = &r->races->sets.list[number];
    const int64_t from = first / r->per_element, to = (first + count - 1) / r->per_element;
    for (uint32_t i = 0; i < set->site_count; i++)
        for (uint32_t j = i; j < set->site_count; j++) report_pair(r, set, i, j, from, to);
}

static tg_found_place place_of(const tg_races *races, uint32_t site, tg_actor actor)
{
    const tg_inst *inst = tg_race_inst(races->plan, site);
    tg_found_place at = {.op = inst->op, .loc = inst->loc, .has_program = true};
    tg_grid_coordinates(&races->grid, actor.program, at.program);
    return at;
}

static void describe(const report *r, const conflict *c, tg_found *found)
{
    static const struct {
        const char *what, *how;
    } does[TG_RACE_KINDS] = {[TG_RACE_READ] = {"reads", ""},
                             [TG_RACE_WRITE] = {"writes", ""},
                             [TG_RACE_ATOMIC] = {"changes", " by an atomic"}};
    const uint32_t here = c->sites[0] % TG_RACE_KINDS, there = c->sites[1] % TG_RACE_KINDS;
    const tg_type *array = &found->param->array;
    const int rank = r->races->grid.rank;
    char first[TG_INDEX_TEXT], programs[2][TG_PROGRAM_TEXT], more[80] = "";
    tg_program_print(rank, found->at.program, programs[0]);
    tg_program_print(rank, found->related[0].at.program, programs[1]);
    if (c->count > 1) snprintf(more, sizeof more, "; %" PRId64 " elements in all", c->count);
    snprintf(found->message, sizeof found->message,
             "program %s %s %s%s%s, program %s %s it%s%s, and nothing orders the two%s",
             programs[0], does[here].what, found->param->name,
             tg_index_print(array, c->first, first), does[here].how, programs[1], does[there].what,
             does[there].how, rank_of(c->sites, c->differs) ? "" : " as well, with the same value",
             more);
}

static void add_finding(const report *r, const conflict *c, tg_findings *findings)
{
    const tg_races *races = r->races;
    tg_found found = {.kind = rank_of(c->sites, c->differs) ? TG_FINDING_RACE
                                                            : TG_FINDING_RACE_SAME_VALUE,
                      .param = &races->plan->kernel->params[r->param],
                      .at = place_of(races, c->sites[0], c->actors[0]),
                      .has_elements = true,
                      .first = c->first,
                      .last = c->last,
                      .order = lesser(c->actors[0], c->actors[1]),
                      .count = c->count,
                      .other = c->sites[1],
                      .related_count = 1};
    found.related[0] = (tg_found_related){.role = "conflicts with",
                                          .param = found.param,
                                          .at = place_of(races, c->sites[1], c->actors[1])};
    describe(r, c, &found);
    tg_findings_add(findings, &found);
}

/* Memory that is an input's and an output's goes by the output's name. */
static uint32_t shown_param(const tg_kernel *k, uint32_t param)
{
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].alias == (int)param) return p;
    return param;
}

bool tg_races_report(tg_races *races, tg_findings *findings)
{
    const tg_kernel *k = races->plan->kernel;
    bool is_complete = !races->is_incomplete && !races->sets.is_incomplete;
    for (uint32_t p = 0; races->has_chains && p < k->param_count; p++) {
        const tg_race_memory *m = &races->memories[p];
        if (!m->is_watched || m->same_as != p) continue;
        report r = {.races = races, .param = shown_param(k, p)};
        r.per_element = (int64_t)(tg_dtypes[k->params[p].array.dtype].bytes / m->width);
        tg_plane_visit(&m->plane, 0, m->count, report_run, &r);
        for (size_t i = 0; i < r.count; i++) add_finding(&r, &r.list[i], findings);
        is_complete = is_complete && !r.is_incomplete && !m->plane.is_incomplete;
        free(r.list);
    }
    return is_complete;
}
