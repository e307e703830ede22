/* Turns conflicts into findings: one for each pair of source locations.  But conflicts that would
 * vanish if axes without declared semantics were ordered have one cause, so they become one finding
 * per memory. */
#include "checks/races/findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout/thread.h"
#include "plan/program_text.h"

typedef struct context {
    const tg_races *races;
    const tg_race_object *object;
    tg_held held; /* of the kernel that was written, if the run is physical */
} context;

static tg_found_place place_of(const tg_races *races, const tg_race_access *access)
{
    const tg_inst *inst = tg_race_inst(races->plan, access->site);
    tg_found_place at = {.op = inst->op, .loc = inst->loc, .has_program = true};
    tg_grid_coordinates(&races->grid, access->program, at.program);
    return at;
}

/* "; 32 elements and 4 pairs of lines in all": the counts that are greater than 1. */
static void count_all(int64_t elements, size_t pairs, char *out, size_t size)
{
    *out = '\0';
    if (elements > 1 && pairs > 1)
        snprintf(out, size, "; %" PRId64 " elements and %zu pairs of lines in all", elements,
                 pairs);
    else if (elements > 1)
        snprintf(out, size, "; %" PRId64 " elements in all", elements);
    else if (pairs > 1)
        snprintf(out, size, "; %zu pairs of lines in all", pairs);
}

enum { PLACE_TEXT = 300, THREAD_TEXT = 100 };

/* "tile[2, 5]"; in a physical run "tile[2, 5] (byte 276)". */
static const char *place_print(const context *x, const tg_race_conflict *c, const tg_param *param,
                               char out[PLACE_TEXT])
{
    const tg_laid_out *laid_out = x->object->laid_out;
    const int64_t byte = c->address * tg_dtypes[param->array.dtype].bytes;
    char index[TG_INDEX_TEXT];
    if (!laid_out)
        snprintf(out, PLACE_TEXT, "%.100s%s", param->name,
                 tg_index_print(&param->array, c->first, index));
    else
        snprintf(out, PLACE_TEXT, "%.100s%s (byte %" PRId64 ")", param->name,
                 tg_index_print(&laid_out->param->array, c->first, index), byte);
    return out;
}

/* " from lane 9 of warp 0": the thread of the hardware that moves the element; "" if that is not known. */
static const char *thread_print(context *x, const tg_race_access *access, int64_t address,
                                char out[THREAD_TEXT])
{
    const tg_inst *inst = tg_race_inst(x->races->plan, access->site);
    const bool accesses = tg_inst_traits[inst->kind] & TG_INST_ACCESSES;
    char copies[40] = "";
    tg_mover mover;
    *out = '\0';
    if (!x->object->laid_out || !accesses ||
        !tg_mover_find(&x->held, inst->as.access->source, address, &mover))
        return out;
    if (mover.others) snprintf(copies, sizeof copies, " and %" PRId64 " others", mover.others);
    snprintf(out, THREAD_TEXT, " %s lane %d of warp %" PRId64 "%s",
             inst->op == TG_OP_load ? "into" : "from", tg_lane_of(mover.thread),
             tg_warp_of(mover.thread), copies);
    return out;
}

/* Why the two are a race: of two atomics, because neither is one for the other. */
static const char *cause_of(const context *x, const tg_race_conflict *c)
{
    static const char *const causes[] = {
        [TG_RACE_STRONG] = "nothing orders the two",
        [TG_RACE_OTHER_WIDTH] = "atomics of different widths are none for each other",
        [TG_RACE_SCOPE] =
            "the scope is too small: an atomic of scope cta is none for other programs"};
    const uint32_t a = c->sides[0].site, b = c->sides[1].site;
    if (!tg_race_is_atomic(a) || !tg_race_is_atomic(b)) return causes[TG_RACE_STRONG];
    return causes[tg_race_weakness_of(x->races->plan, a, b, false)];
}

static void describe(context *x, const tg_race_conflict *c, size_t pairs, tg_found *found)
{
    static const struct {
        const char *what, *how;
    } does[TG_RACE_KINDS] = {[TG_RACE_READ] = {"reads", ""},
                             [TG_RACE_WRITE] = {"writes", ""},
                             [TG_RACE_ATOMIC] = {"changes", " by an atomic"},
                             [TG_RACE_ATOMIC_READ] = {"reads", " by an atomic"}};
    const tg_race_kind here = tg_race_kind_of(c->sides[0].site),
                       there = tg_race_kind_of(c->sides[1].site);
    const tg_kernel *kernel = x->races->plan->kernel;
    const int64_t *grid = x->races->grid.size;
    char place[PLACE_TEXT], threads[2][THREAD_TEXT], programs[2][TG_PROGRAM_TEXT], more[120];
    tg_program_print(kernel, grid, found->at.program, programs[0]);
    tg_program_print(kernel, grid, found->related[0].at.program, programs[1]);
    count_all(c->count, pairs, more, sizeof more);
    snprintf(found->message, sizeof found->message,
             "program %s %s %s%s%s, program %s %s it%s%s%s, and %s%s", programs[0], does[here].what,
             place_print(x, c, found->param, place), does[here].how,
             thread_print(x, &c->sides[0], c->address, threads[0]), programs[1], does[there].what,
             does[there].how, thread_print(x, &c->sides[1], c->address, threads[1]),
             tg_race_rank(c) ? "" : " as well, with the same value", cause_of(x, c), more);
}

static tg_found finding_of(const context *x, const tg_race_conflict *c)
{
    const tg_races *races = x->races;
    tg_found found = {.kind = tg_race_rank(c) ? TG_FINDING_RACE : TG_FINDING_RACE_SAME_VALUE,
                      .param = &races->plan->kernel->params[x->object->param],
                      .at = place_of(races, &c->sides[0]),
                      .has_elements = true,
                      .first = c->first,
                      .last = c->last,
                      .program_index = tg_race_first_program(c),
                      .count = c->count,
                      .other = c->sides[1].site,
                      .related_count = 1};
    found.related[0] = (tg_found_related){
        .role = "conflicts with", .param = found.param, .at = place_of(races, &c->sides[1])};
    return found;
}

/* ---- conflicts with one cause ---- */

/* Returns whether all accesses that conflict differ only on axes that are parallel because their
 * semantics are not declared. */
static bool is_assumed(const tg_races *races, const tg_race_conflict *c)
{
    return c->axes && !(c->axes & ~races->assumed);
}

/* Returns whether to report `a` rather than `b`: errors first, then by the first program, then by
 * the source locations. */
static bool precedes(const tg_races *races, const tg_race_conflict *a, const tg_race_conflict *b)
{
    const bool x = tg_race_rank(a) > 0, y = tg_race_rank(b) > 0;
    if (x != y) return x;
    if (tg_race_first_program(a) != tg_race_first_program(b))
        return tg_race_first_program(a) < tg_race_first_program(b);
    for (int side = 0; side < 2; side++) {
        const uint32_t p = tg_race_inst(races->plan, a->sides[side].site)->loc,
                       q = tg_race_inst(races->plan, b->sides[side].site)->loc;
        if (p != q) return p < q;
    }
    return false;
}

static bool has_line(const tg_found *found, uint32_t loc)
{
    if (found->at.loc == loc) return true;
    for (uint32_t i = 0; i < found->related_count; i++)
        if (found->related[i].at.loc == loc) return true;
    return false;
}

/* Adds the source locations of a conflict that the finding does not name yet, as far as there is
 * room. */
static void relate(const tg_races *races, const tg_race_conflict *c, tg_found *found)
{
    for (int side = 0; side < 2 && found->related_count < TG_MOST_RELATED; side++) {
        const tg_found_place at = place_of(races, &c->sides[side]);
        if (has_line(found, at.loc)) continue;
        found->related[found->related_count++] =
            (tg_found_related){.role = "conflicts as well:", .param = found->param, .at = at};
    }
}

static void add_assumed(context *x, const tg_race_conflict *list, size_t count,
                        tg_findings *findings)
{
    const tg_races *races = x->races;
    const tg_race_conflict *reported = NULL;
    size_t pairs = 0;
    uint32_t axes = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_assumed(races, &list[i])) continue;
        if (!reported || precedes(races, &list[i], reported)) reported = &list[i];
        axes |= list[i].axes;
        pairs++;
    }
    if (!reported) return;
    tg_found found = finding_of(x, reported);
    found.assumed = axes;
    for (size_t i = 0; i < count; i++)
        if (is_assumed(races, &list[i])) relate(races, &list[i], &found);
    describe(x, reported, pairs, &found);
    tg_findings_add(findings, &found);
}

static void add_all(context *x, const tg_race_conflict *list, size_t count, tg_findings *findings)
{
    for (size_t i = 0; i < count; i++) {
        if (is_assumed(x->races, &list[i])) continue;
        tg_found found = finding_of(x, &list[i]);
        describe(x, &list[i], 1, &found);
        tg_findings_add(findings, &found);
    }
    add_assumed(x, list, count, findings);
}

bool tg_races_add_findings(const tg_races *races, const tg_race_object *object,
                           const tg_race_conflict *list, size_t count, tg_findings *findings)
{
    context x = {.races = races, .object = object};
    const bool is_known =
        !object->laid_out || tg_held_find(races->plan->kernel->logical, &x.held) == TG_OK;
    if (is_known) add_all(&x, list, count, findings);
    if (object->laid_out) tg_held_free(&x.held);
    return is_known;
}
