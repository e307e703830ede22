#include "checks/races/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "checks/races/scratch.h"
#include "checks/races/findings.h"
#include "checks/races/promises.h"
#include "physical/logical_element.h"

/* An element of memory that a physical run holds where its layout says, and its access set. */
typedef struct laid_element {
    int64_t element, address;
    uint32_t set;
} laid_element;

typedef struct report {
    const tg_races *races;
    uint32_t param;
    int64_t per_element;         /* places of an element */
    const tg_laid_out *laid_out; /* NULL: elements are in logical order */
    laid_element *elements;      /* of `laid_out`, with conflicts */
    size_t element_count, element_room;
    tg_race_conflict *list;
    size_t count, room;
    bool is_incomplete;
} report;

static int64_t lesser(const tg_race_access *a, const tg_race_access *b)
{
    return a->program < b->program ? a->program : b->program;
}

static int64_t greater(const tg_race_access *a, const tg_race_access *b)
{
    return a->program < b->program ? b->program : a->program;
}

static bool is_less(const tg_race_access *a, const tg_race_access *b, const tg_race_access than[2])
{
    const int64_t low = lesser(&than[0], &than[1]), high = greater(&than[0], &than[1]);
    if (lesser(a, b) != low) return lesser(a, b) < low;
    return greater(a, b) != high ? greater(a, b) < high : a->program < than[0].program;
}

/* A finding names the writer first; of two writers, the one with the lower program index. */
static int weight_of(const tg_race_access *a)
{
    const tg_race_kind kind = tg_race_kind_of(a->site);
    return kind == TG_RACE_WRITE ? 2 : kind == TG_RACE_ATOMIC ? 1 : 0;
}

static void arrange(tg_race_access sides[2])
{
    const int x = weight_of(&sides[0]), y = weight_of(&sides[1]);
    if (x > y || (x == y && sides[0].program <= sides[1].program)) return;
    const tg_race_access first = sides[0];
    sides[0] = sides[1];
    sides[1] = first;
}

static uint32_t loc_of(const report *r, const tg_race_access *a)
{
    return tg_race_inst(r->races->plan, a->site)->loc;
}

/* Returns the entry for the source locations of two accesses, in either order; NULL if memory runs
 * out. */
static tg_race_conflict *entry_for(report *r, const tg_race_access sides[2])
{
    const uint32_t x = loc_of(r, &sides[0]), y = loc_of(r, &sides[1]);
    for (size_t i = 0; i < r->count; i++) {
        tg_race_conflict *c = &r->list[i];
        const uint32_t a = loc_of(r, &c->sides[0]), b = loc_of(r, &c->sides[1]);
        if ((a == x && b == y) || (a == y && b == x)) return c;
    }
    tg_race_conflict *list = tg_list_grow(r->list, r->count, &r->room, sizeof *list);
    if (!list) return NULL;
    r->list = list;
    r->list[r->count] = (tg_race_conflict){.count = 0};
    return &r->list[r->count++];
}

/* Adds a conflict at the elements from `new.first` to `last`; its `count` is 0. */
static void note_conflict(report *r, tg_race_conflict new, int64_t last)
{
    arrange(new.sides);
    tg_race_conflict *c = entry_for(r, new.sides);
    if (!c) {
        r->is_incomplete = true;
        return;
    }
    new.axes |= c->axes;
    c->axes = new.axes;
    const int rank = tg_race_rank(&new), known = c->count ? tg_race_rank(c) : -1;
    if (rank < known) return;
    if (rank > known) *c = new;
    if (c->last >= last) return; /* other ops at the same lines counted them */
    c->count += last - (new.first > c->last ? new.first - 1 : c->last);
    c->last = last;
}

/* If there are atomics in between, whether all writes write one value depends on the order. */
static bool has_atomics(const tg_access_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (tg_race_is_atomic(set->list[i].site)) return true;
    return false;
}

/* The accesses of a set by one op. */
typedef struct group {
    const tg_race_access *list;
    uint32_t count;
} group;

static group group_at(const tg_access_set *set, uint32_t first)
{
    group g = {&set->list[first], 1};
    while (first + g.count < set->count && g.list[g.count].site == g.list[0].site) g.count++;
    return g;
}

/* Chooses the two lowest programs of different actors, one of each group.  Returns false if there
 * are none. */
static bool choose_sides(group a, group b, tg_race_access out[2])
{
    bool found = false;
    for (uint32_t i = 0; i < a.count; i++)
        for (uint32_t j = 0; j < b.count; j++) {
            if (a.list[i].actor == b.list[j].actor) continue;
            if (found && !is_less(&a.list[i], &b.list[j], out)) continue;
            out[0] = a.list[i];
            out[1] = b.list[j];
            found = true;
        }
    return found;
}

/* A conflict whose elements and axes are not known yet. */
static tg_race_conflict conflict_in(const tg_access_set *set, int64_t first, int64_t address)
{
    return (tg_race_conflict){.differs = set->differs || has_atomics(set),
                              .first = first,
                              .last = first - 1,
                              .address = address};
}

/* Returns the axes on which two accesses differ, and those on which their groups are known to
 * differ. */
static uint32_t axes_of(const report *r, const tg_race_access sides[2], uint32_t known)
{
    if (!r->races->assumed) return 0;
    return known | tg_grid_differs(&r->races->grid, sides[0].program, sides[1].program);
}

static void report_groups(report *r, const tg_access_set *set, group a, group b, int64_t first,
                          int64_t last)
{
    tg_race_conflict c = conflict_in(set, first, first);
    if (!tg_sites_conflict(r->races->plan, a.list[0].site, b.list[0].site, false)) return;
    /* of two pairs of the same programs, the one whose writer is lower */
    const bool swaps = weight_of(b.list) > weight_of(a.list);
    if (!choose_sides(swaps ? b : a, swaps ? a : b, c.sides)) return;
    c.axes = axes_of(r, c.sides, a.list[0].axes | b.list[0].axes);
    note_conflict(r, c, last);
}

/* Conflicts that were stored when they were found, at the elements from `first` to `last`. */
static void report_stored(report *r, const tg_access_set *set, int64_t first, int64_t last,
                          int64_t address)
{
    for (uint32_t i = 0; i < set->conflict_count; i++) {
        tg_race_conflict c = conflict_in(set, first, address);
        memcpy(c.sides, &set->list[set->count + 2 * i], sizeof c.sides);
        c.axes = axes_of(r, c.sides, 0);
        note_conflict(r, c, last);
    }
}

static void report_run(void *context, uint32_t number, int64_t first, int64_t count)
{
    report *r = context;
    const tg_access_set *set = &r->races->sets.list[number];
    if (set->count < 2 && set->conflict_count == 0) return;
    const int64_t from = first / r->per_element, to = (first + count - 1) / r->per_element;
    report_stored(r, set, from, to, from);
    if (r->races->is_ordered) return;
    for (uint32_t i = 0; i < set->count; i += group_at(set, i).count)
        for (uint32_t j = i; j < set->count; j += group_at(set, j).count)
            report_groups(r, set, group_at(set, i), group_at(set, j), from, to);
}

/* ---- scratch of a physical run ---- */

static void collect(void *context, uint32_t number, int64_t first, int64_t count)
{
    report *r = context;
    const int64_t to = (first + count - 1) / r->per_element;
    for (int64_t address = first / r->per_element; address <= to; address++) {
        laid_element *list =
            tg_list_grow(r->elements, r->element_count, &r->element_room, sizeof *list);
        if (!list) {
            r->is_incomplete = true;
            return;
        }
        r->elements = list;
        list[r->element_count++] =
            (laid_element){tg_laid_out_element(r->laid_out, address), address, number};
    }
}

static int by_element(const void *a, const void *b)
{
    const laid_element *x = a, *y = b;
    if (x->element != y->element) return x->element < y->element ? -1 : 1;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return x->set < y->set ? -1 : x->set > y->set;
}

/* Threads order their accesses by barriers, so that the conflicts of scratch are stored ones.  They are
 * reported in the order of the elements, as in a logical run. */
static bool report_laid_out(report *r)
{
    const bool is_complete = tg_race_scratch_visit(r->races, r->param, collect, r);
    if (r->element_count) qsort(r->elements, r->element_count, sizeof *r->elements, by_element);
    for (size_t i = 0; i < r->element_count; i++) {
        const laid_element *e = &r->elements[i];
        report_stored(r, &r->races->sets.list[e->set], e->element, e->element, e->address);
    }
    free(r->elements);
    return is_complete;
}

/* ---- findings ---- */

/* Memory of an input and an output is shown by the output's name. */
static uint32_t shown_param(const tg_kernel *k, uint32_t param)
{
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].alias == (int)param) return p;
    return param;
}

bool tg_races_report(void *state, tg_run_end *run)
{
    tg_races *races = state;
    const tg_kernel *k = races->plan->kernel;
    bool is_complete =
        !races->is_incomplete && !races->sets.is_incomplete && !races->sync.is_incomplete;
    for (uint32_t p = 0; races->has_actors && p < k->param_count; p++) {
        tg_race_memory *m = &races->memories[p];
        if (!m->is_watched || m->same_as != p) continue;
        tg_laid_out laid_out;
        report r = {.races = races,
                    .param = shown_param(k, p),
                    .laid_out = tg_laid_out_find(k, p, &laid_out) ? &laid_out : NULL};
        r.per_element = (int64_t)(tg_dtypes[k->params[p].array.dtype].bytes / m->width);
        if (k->params[p].role != TG_ROLE_SCRATCH)
            tg_plane_visit(&m->plane, 0, m->count, report_run, &r);
        else if (r.laid_out)
            is_complete = report_laid_out(&r) && is_complete;
        else if (!tg_race_scratch_visit(races, p, report_run, &r))
            is_complete = false;
        if (!tg_races_add_findings(races, &(tg_race_object){r.param, r.laid_out}, r.list, r.count,
                                   run->findings))
            is_complete = false;
        is_complete = is_complete && !r.is_incomplete && !m->plane.is_incomplete;
        free(r.list);
    }
    tg_race_promises_report(races, run->findings);
    return is_complete;
}
