/* Scalar-prefetch tables that the kernel writes and its index maps read.  A TPU asks index maps for
 * the blocks of programs to come while programs before them still run: whether such a write is seen
 * is nobody's promise. */
#include <stdio.h>
#include <stdlib.h>

#include "checks/checks.h"
#include "checks/memory_planes.h"
#include "checks/writers.h"
#include "interp/state/machine.h"

typedef struct prefetch {
    const tg_plan *plan;
    tg_memory_planes tables; /* that are written: numbers of who wrote last */
    tg_writers writers;
    tg_findings *findings;
    bool is_incomplete;
    const tg_touch *touch; /* the one at hand */
    uint32_t number;       /* what it writes */
    bool has_reported;
} prefetch;

static bool is_watched(const tg_plan *plan, uint32_t p)
{
    return plan->kernel->params[p].role == TG_ROLE_PREFETCH && plan->is_written[p];
}

/* A table that an op of the body may write. */
static bool wants(const tg_launch *launch)
{
    for (uint32_t p = 0; p < launch->plan->kernel->param_count; p++)
        if (is_watched(launch->plan, p)) return true;
    return false;
}

/* ---- life ---- */

static void free_prefetch(void *state)
{
    prefetch *all = state;
    tg_memory_planes_free(&all->tables);
    tg_writers_free(&all->writers);
    free(all);
}

static bool make(const tg_launch *launch, void **state)
{
    const tg_kernel *k = launch->plan->kernel;
    prefetch *all = calloc(1, sizeof *all);
    if (!all) return false;
    if (!tg_memory_planes_init(&all->tables, k)) {
        free(all);
        return false;
    }
    all->plan = all->writers.plan = launch->plan;
    for (uint32_t p = 0; p < k->param_count; p++)
        if (is_watched(launch->plan, p)) tg_memory_planes_watch(&all->tables, p);
    *state = all;
    return true;
}

static bool begin(void *state, const tg_run_begin *run)
{
    prefetch *all = state;
    tg_writers_clear(&all->writers);
    all->findings = run->launch->findings;
    all->is_incomplete = false;
    return tg_memory_planes_begin(&all->tables);
}

/* What there is to tell has been told. */
static bool report_shortage(void *state, tg_run_end *run)
{
    const prefetch *all = state;
    (void)run;
    return !all->is_incomplete && tg_memory_planes_are_complete(&all->tables);
}

/* ---- writes ---- */

static uint32_t write_places(void *context, uint32_t number, int64_t first, int64_t count)
{
    const prefetch *all = context;
    (void)number;
    (void)first;
    (void)count;
    return all->number;
}

/* ---- what index maps read ---- */

/* The param whose index map the instruction belongs to; NULL: it is the body's. */
static const tg_param *map_of(const prefetch *all, const tg_inst *inst)
{
    const tg_plan *plan = all->plan;
    for (uint32_t p = 0; p < plan->kernel->param_count; p++) {
        const tg_code *code = &plan->mappings[p].code;
        if (inst >= code->list && inst < code->list + code->count) return &plan->kernel->params[p];
    }
    return NULL;
}

static void report(prefetch *all, const tg_writer *w, int64_t element)
{
    const tg_param *params = all->plan->kernel->params;
    const tg_touch *touch = all->touch;
    const tg_param *table = &params[tg_param_owner(all->plan->kernel, touch->param)],
                   *reader = map_of(all, touch->inst);
    char at[TG_INDEX_TEXT];
    tg_found found = {.kind = TG_FINDING_PREFETCH_WRITTEN,
                      .param = table,
                      .at = tg_writer_place(w),
                      .has_elements = true,
                      .first = element,
                      .last = element,
                      .order = w->order,
                      .count = 1,
                      .related_count = 1,
                      .related = {{.role = "read by the index map of",
                                   .param = reader,
                                   .at = tg_touch_place(all->plan, touch)}}};
    snprintf(
        found.message, sizeof found.message,
        "%s writes %s%s, which the index map of %s reads for a later program: a TPU asks index "
        "maps ahead of time, and may get the old value",
        tg_ops[w->inst->op].name, params[w->param].name, tg_index_print(&table->array, element, at),
        reader->name);
    tg_findings_add(all->findings, &found);
    all->has_reported = true;
}

/* Programs of other chains are no matter of tables: they race. */
static void read_places(void *context, uint32_t number, int64_t first, int64_t count)
{
    prefetch *all = context;
    (void)count;
    if (!number || all->has_reported) return;
    const tg_writer *w = tg_writers_get(&all->writers, number);
    if (w->chain == all->touch->chain) report(all, w, first);
}

static void touched(void *context, const tg_touch *touch)
{
    prefetch *all = context;
    if (!tg_memory_planes_watches(&all->tables, touch->param)) return;
    const bool reads = touch->kind == TG_TOUCH_READ;
    if (reads != (map_of(all, touch->inst) != NULL)) return;
    pthread_mutex_lock(&all->tables.lock);
    all->touch = touch;
    all->has_reported = false;
    if (reads)
        tg_memory_planes_visit(&all->tables, touch, read_places, all);
    else if ((all->number = tg_writers_number(&all->writers, touch)) != 0)
        tg_memory_planes_update(&all->tables, touch, write_places, all);
    else
        all->is_incomplete = true;
    pthread_mutex_unlock(&all->tables.lock);
}

const tg_detector tg_detector_prefetch = {.checks = TG_CHECK_PREFETCH,
                                          .touches =
                                              TG_TOUCH_READ | TG_TOUCH_WRITE | TG_TOUCH_ATOMIC,
                                          .wants = wants,
                                          .make = make,
                                          .free = free_prefetch,
                                          .begin = begin,
                                          .touched = touched,
                                          .report = report_shortage};
