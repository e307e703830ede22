/* Scalar-prefetch tables that the kernel writes and its index maps read.  A TPU asks index maps for the blocks of programs to come while
 * programs before them still run: whether such a write is seen is nobody's promise. */
#include "checks/checks.h"
#include "interp/machine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/plane.h"
#include "base/list.h"

/* Who wrote an element last: neighbours in the list are of one program and op. */
typedef struct writer {
    const tg_inst *inst;
    uint32_t param; /* the name by which it was written */
    int64_t order, chain;
    int64_t program[TG_MAX_AXES];
} writer;

typedef struct prefetch {
    const tg_plan *plan;
    tg_plane *
        plane; /* per param, of tables that are written: the number of the writer, plus 1; 0: nobody yet */
    writer *writers;
    uint32_t count;
    size_t room;
    tg_findings *findings;
    pthread_mutex_t lock;
    bool is_incomplete;
    const tg_touch *touch; /* the one at hand */
    uint32_t table;        /* that it touches */
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

static void clear(prefetch *all)
{
    for (uint32_t p = 0; all->plane && p < all->plan->kernel->param_count; p++)
        tg_plane_free(&all->plane[p]);
    all->count = 0;
}

static void free_prefetch(void *state)
{
    prefetch *all = state;
    clear(all);
    pthread_mutex_destroy(&all->lock);
    free(all->writers);
    free(all->plane);
    free(all);
}

static bool make(const tg_launch *launch, void **state)
{
    prefetch *all = calloc(1, sizeof *all);
    if (!all) return false;
    if (pthread_mutex_init(&all->lock, NULL) != 0) {
        free(all);
        return false;
    }
    all->plan = launch->plan;
    all->plane = calloc(all->plan->kernel->param_count + 1, sizeof *all->plane);
    if (!all->plane) {
        free_prefetch(all);
        return false;
    }
    *state = all;
    return true;
}

static bool begin(void *state, const tg_run_begin *run)
{
    prefetch *all = state;
    const tg_kernel *k = all->plan->kernel;
    clear(all);
    all->findings = run->launch->findings;
    all->is_incomplete = false;
    for (uint32_t p = 0; p < k->param_count; p++)
        if (is_watched(all->plan, p) &&
            !tg_plane_init(&all->plane[p], tg_type_count(&k->params[p].array), 0, 0))
            return false;
    return true;
}

/* What there is to tell has been told. */
static bool report_shortage(void *state, tg_run_end *run)
{
    const prefetch *all = state;
    bool is_complete = !all->is_incomplete || !run->is_whole;
    for (uint32_t p = 0; run->is_whole && p < all->plan->kernel->param_count; p++)
        if (all->plane[p].is_incomplete) is_complete = false;
    return is_complete;
}

/* ---- writes ---- */

/* Enters who does the touch; false without memory. */
static bool enter_writer(prefetch *all)
{
    const tg_touch *touch = all->touch;
    const writer *last = all->count ? &all->writers[all->count - 1] : NULL;
    if (last && last->inst == touch->inst && last->order == touch->order) return true;
    writer *list = tg_list_grow(all->writers, all->count, &all->room, sizeof *list);
    if (!list || all->count + 1 >= TG_PLANE_LIMIT) return false;
    all->writers = list;
    writer *w = &list[all->count++];
    *w = (writer){
        .param = touch->param, .inst = touch->inst, .order = touch->order, .chain = touch->chain};
    memcpy(w->program, touch->program, sizeof(int64_t) * (size_t)all->plan->kernel->axis_count);
    return true;
}

static uint32_t write_places(void *context, uint32_t number, int64_t first, int64_t count)
{
    const prefetch *all = context;
    (void)number;
    (void)first;
    (void)count;
    return all->count;
}

static void write_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    prefetch *all = context;
    tg_plane_update_strided(&all->plane[all->table], first, stride, count, write_places, all);
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

static void report(prefetch *all, const writer *w, int64_t element)
{
    const tg_kernel *k = all->plan->kernel;
    const tg_touch *touch = all->touch;
    const tg_param *table = &k->params[all->table];
    char at[TG_INDEX_TEXT];
    tg_found found = {.kind = TG_FINDING_PREFETCH_WRITTEN,
                      .param = table,
                      .at = {.op = w->inst->op, .loc = w->inst->loc, .has_program = true},
                      .has_elements = true,
                      .first = element,
                      .last = element,
                      .order = w->order,
                      .count = 1,
                      .related_count = 1};
    memcpy(found.at.program, w->program, sizeof w->program);
    found.related[0] = (tg_found_related){
        .role = "read by the index map of",
        .param = map_of(all, touch->inst),
        .at = {.op = touch->inst->op, .loc = touch->inst->loc, .has_program = true}};
    memcpy(found.related[0].at.program, touch->program, sizeof(int64_t) * (size_t)k->axis_count);
    snprintf(
        found.message, sizeof found.message,
        "%s writes %s%s, which the index map of %s reads for a later program: a TPU asks index "
        "maps ahead of time, and may get the old value",
        tg_ops[w->inst->op].name, k->params[w->param].name,
        tg_index_print(&table->array, element, at), found.related[0].param->name);
    tg_findings_add(all->findings, &found);
    all->has_reported = true;
}

/* Programs of other chains are no matter of tables: they race. */
static void read_places(void *context, uint32_t number, int64_t first, int64_t count)
{
    prefetch *all = context;
    (void)count;
    if (!number || all->has_reported) return;
    const writer *w = &all->writers[number - 1];
    if (w->chain == all->touch->chain) report(all, w, first);
}

static void read_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    prefetch *all = context;
    tg_plane_visit_strided(&all->plane[all->table], first, stride, count, read_places, all);
}

static void touched(void *context, const tg_touch *touch)
{
    prefetch *all = context;
    const tg_kernel *k = all->plan->kernel;
    const uint32_t table = tg_param_owner(k, touch->param);
    const size_t width = tg_dtypes[k->params[table].array.dtype].bytes;
    const bool reads = touch->kind == TG_TOUCH_READ;
    if (!is_watched(all->plan, table) || reads != (map_of(all, touch->inst) != NULL)) return;
    pthread_mutex_lock(&all->lock);
    all->touch = touch;
    all->table = table;
    all->has_reported = false;
    if (reads)
        tg_touch_runs(touch, width, read_run, all);
    else if (enter_writer(all))
        tg_touch_runs(touch, width, write_run, all);
    else
        all->is_incomplete = true;
    pthread_mutex_unlock(&all->lock);
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
