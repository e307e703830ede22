#include "checks/coverage.h"

#include <stdlib.h>

#include "base/list.h"
#include "checks/checks.h"
#include "checks/memory_planes.h"
#include "checks/number_map.h"
#include "interp/state/machine.h"

/* The number of an element: 0; 1 plus a program index; or PAIRS plus the number of the first two
 * programs. */
#define PAIRS (UINT32_C(1) << 30)
#define MOST_PAIRS (PAIRS / 2)

typedef struct pair {
    uint32_t programs[2]; /* ascending, each 1 plus a program index */
} pair;

typedef struct coverage {
    const tg_plan *plan;
    tg_memory_planes outputs;
    pair *pairs;
    uint32_t pair_count;
    size_t pair_room;
    tg_number_map numbers; /* of pairs */
    uint32_t program;      /* the writing program, plus 1 */
    tg_grid grid;
    bool is_off; /* there are more programs than numbers */
    bool is_shared, is_incomplete;
} coverage;

static bool is_output(const tg_kernel *k, uint32_t p)
{
    return k->params[p].role == TG_ROLE_OUTPUT;
}

/* ---- setup and cleanup ---- */

static void clear(coverage *c)
{
    tg_number_map_free(&c->numbers);
    c->pair_count = 0;
}

static void free_coverage(void *state)
{
    coverage *c = state;
    clear(c);
    tg_memory_planes_free(&c->outputs);
    free(c->pairs);
    free(c);
}

static bool make(const tg_launch *launch, void **state)
{
    const tg_kernel *k = launch->plan->kernel;
    coverage *c = calloc(1, sizeof *c);
    if (!c) return false;
    if (!tg_memory_planes_init(&c->outputs, k)) {
        free(c);
        return false;
    }
    c->plan = launch->plan;
    for (uint32_t p = 0; p < k->param_count; p++)
        if (is_output(k, p)) tg_memory_planes_watch(&c->outputs, p);
    *state = c;
    return true;
}

static bool begin(void *state, const tg_run_begin *run)
{
    coverage *c = state;
    clear(c);
    c->is_shared = run->is_shared;
    c->is_incomplete = false;
    c->grid = *run->grid;
    c->is_off = tg_grid_programs(run->grid) >= PAIRS;
    return tg_memory_planes_begin(&c->outputs);
}

/* ---- writes ---- */

/* Returns `old` if memory or numbers run out. */
static uint32_t number_of(coverage *c, uint32_t a, uint32_t b, uint32_t old)
{
    const pair p = {{a < b ? a : b, a < b ? b : a}};
    const uint64_t key = (uint64_t)p.programs[0] << 32 | p.programs[1];
    const uint32_t known = tg_number_map_get(&c->numbers, key);
    if (known != UINT32_MAX) return PAIRS + known;
    pair *list = c->pair_count < MOST_PAIRS
                     ? tg_list_grow(c->pairs, c->pair_count, &c->pair_room, sizeof *list)
                     : NULL;
    if (list) c->pairs = list;
    if (!list || !tg_number_map_put(&c->numbers, key, c->pair_count)) {
        c->is_incomplete = true;
        return old;
    }
    c->pairs[c->pair_count] = p;
    return PAIRS + c->pair_count++;
}

static uint32_t written_again(void *context, uint32_t old, int64_t first, int64_t count)
{
    coverage *c = context;
    (void)first;
    (void)count;
    if (old == 0 || old == c->program) return c->program;
    if (old < PAIRS) return number_of(c, old, c->program, old);
    const pair p = c->pairs[old - PAIRS];
    if (c->program >= p.programs[1] || c->program == p.programs[0]) return old;
    return number_of(c, p.programs[0], c->program, old);
}

static void accessed(void *context, const tg_access_event *event)
{
    coverage *c = context;
    if (c->is_off || !tg_memory_planes_watches(&c->outputs, event->param)) return;
    if (c->is_shared) pthread_mutex_lock(&c->outputs.lock);
    c->program = (uint32_t)event->program_index + 1;
    tg_memory_planes_update(&c->outputs, event, written_again, c);
    if (c->is_shared) pthread_mutex_unlock(&c->outputs.lock);
}

/* ---- the result ---- */

typedef struct counting {
    const coverage *all;
    tg_covered *out;
} counting;

static void locate(const coverage *c, uint32_t number, int64_t *program)
{
    tg_grid_coordinates(&c->grid, (int64_t)number - 1, program);
}

static void count_run(void *context, uint32_t number, int64_t first, int64_t count)
{
    const counting *counts = context;
    tg_written_by *by = &counts->out->by[number == 0 ? 0 : number < PAIRS ? 1 : 2];
    if (by->count == 0) {
        by->first = first;
        for (int i = 0; number >= PAIRS && i < 2; i++)
            locate(counts->all, counts->all->pairs[number - PAIRS].programs[i], by->programs[i]);
        if (number > 0 && number < PAIRS) locate(counts->all, number, by->programs[0]);
    }
    by->count += count;
}

static bool list_outputs(const coverage *c, tg_covered **list, size_t *count)
{
    const tg_kernel *k = c->plan->kernel;
    *count = 0;
    *list = NULL;
    if (c->is_off) return true;
    *list = calloc(k->param_count + 1, sizeof **list);
    bool is_complete = *list && !c->is_incomplete;
    for (uint32_t p = 0; is_complete && p < k->param_count; p++) {
        tg_plane *plane = &c->outputs.plane[tg_param_owner(k, p)];
        counting counts = {c, &(*list)[*count]};
        if (!is_output(k, p)) continue;
        counts.out->param = p;
        tg_plane_visit(plane, 0, plane->count, count_run, &counts);
        is_complete = !plane->is_incomplete;
        ++*count;
    }
    if (is_complete) return true;
    free(*list);
    *list = NULL;
    *count = 0;
    return false;
}

static bool report(void *state, tg_run_end *run)
{
    return !run->is_whole || list_outputs(state, &run->covered, &run->covered_count);
}

const tg_detector tg_detector_coverage = {.checks = TG_CHECK_COVERAGE,
                                          .accesses = TG_ACCESS_WRITE | TG_ACCESS_ATOMIC,
                                          .make = make,
                                          .free = free_coverage,
                                          .begin = begin,
                                          .accessed = accessed,
                                          .report = report};
