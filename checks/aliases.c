/* Memory that has two names, an input's and an output's: what is written by the one and read by the
 * other.  Where a compiler gives them different memory, as is usual for blocks that are copied to
 * fast memory and back, the read sees what was there before. */
#include <stdio.h>
#include <stdlib.h>

#include "checks/checks.h"
#include "checks/memory_planes.h"
#include "checks/writers.h"
#include "interp/state/machine.h"
#include "interp/memory/windows.h"

typedef struct aliases {
    const tg_plan *plan;
    bool has_windows;        /* and it is known which parameters do */
    tg_memory_planes memory; /* that has two names: numbers of who wrote last */
    tg_writers writers;
    tg_findings *findings;
    bool is_incomplete;
    const tg_touch *touch; /* the one at hand */
    uint32_t number;       /* what it writes */
    bool has_reported;
} aliases;

static bool wants(const tg_launch *launch)
{
    const tg_kernel *k = launch->plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].alias >= 0) return true;
    return false;
}

/* ---- life ---- */

static void free_aliases(void *state)
{
    aliases *all = state;
    tg_memory_planes_free(&all->memory);
    tg_writers_free(&all->writers);
    free(all);
}

static bool make(const tg_launch *launch, void **state)
{
    const tg_kernel *k = launch->plan->kernel;
    aliases *all = calloc(1, sizeof *all);
    if (!all) return false;
    if (!tg_memory_planes_init(&all->memory, k)) {
        free(all);
        return false;
    }
    all->plan = all->writers.plan = launch->plan;
    all->has_windows = tg_setting_has_windows(&launch->setting);
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].alias >= 0) tg_memory_planes_watch(&all->memory, p);
    tg_memory_planes_narrow(&all->memory, launch->plan);
    *state = all;
    return true;
}

static bool begin(void *state, const tg_run_begin *run)
{
    aliases *all = state;
    tg_writers_clear(&all->writers);
    all->findings = run->launch->findings;
    all->is_incomplete = false;
    return tg_memory_planes_begin(&all->memory);
}

/* What there is to tell has been told. */
static bool report_shortage(void *state, tg_run_end *run)
{
    const aliases *all = state;
    (void)run;
    return !all->is_incomplete && tg_memory_planes_are_complete(&all->memory);
}

/* ---- touches ---- */

static uint32_t write_places(void *context, uint32_t number, int64_t first, int64_t count)
{
    const aliases *all = context;
    (void)number;
    (void)first;
    (void)count;
    return all->number;
}

static void report(aliases *all, const tg_writer *w, int64_t place)
{
    const tg_kernel *k = all->plan->kernel;
    const tg_touch *touch = all->touch;
    const tg_param *read = &k->params[touch->param], *written = &k->params[w->param];
    const int64_t element = tg_memory_planes_element(&all->memory, touch->param, place);
    char at[TG_INDEX_TEXT];
    tg_found found = {
        .kind = TG_FINDING_ALIAS_ASSUMED,
        .param = read,
        .at = tg_touch_place(all->plan, touch),
        .has_elements = true,
        .first = element,
        .last = element,
        .order = touch->order,
        .count = 1,
        .related_count = 1,
        .related = {{.role = "written by", .param = written, .at = tg_writer_place(w)}}};
    snprintf(
        found.message, sizeof found.message,
        "%s reads %s%s, which was written as %s: the two share memory here, but elsewhere they may "
        "not, and the old value is read",
        tg_ops[touch->inst->op].name, read->name, tg_index_print(&read->array, element, at),
        written->name);
    tg_findings_add(all->findings, &found);
    all->has_reported = true;
}

/* Whether it is open what the touch at hand reads of what was written by the other name.  On a TPU,
 * memory that is left in HBM is one, whatever its names; and what a program finds in a window is
 * settled where it was written after the window was fetched. */
static bool is_assumed(const aliases *all, const tg_writer *w)
{
    const tg_param *params = all->plan->kernel->params;
    if (!all->has_windows) return true;
    if (!tg_param_has_window(&params[w->param]) && !tg_param_has_window(&params[all->touch->param]))
        return false;
    return w->order < all->touch->since;
}

/* Programs of other chains are no matter of aliases: they race. */
static void read_places(void *context, uint32_t number, int64_t first, int64_t count)
{
    aliases *all = context;
    (void)count;
    if (number == 0 || all->has_reported) return;
    const tg_writer *w = tg_writers_get(&all->writers, number);
    if (w->param != all->touch->param && w->chain == all->touch->chain && is_assumed(all, w))
        report(all, w, first);
}

static void touched(void *context, const tg_touch *touch)
{
    aliases *all = context;
    if (!tg_memory_planes_watches(&all->memory, touch->param)) return;
    pthread_mutex_lock(&all->memory.lock);
    all->touch = touch;
    all->has_reported = false;
    if (touch->kind == TG_TOUCH_READ)
        tg_memory_planes_visit(&all->memory, touch, read_places, all);
    else if ((all->number = tg_writers_number(&all->writers, touch)) != 0)
        tg_memory_planes_update(&all->memory, touch, write_places, all);
    else
        all->is_incomplete = true;
    pthread_mutex_unlock(&all->memory.lock);
}

const tg_detector tg_detector_aliases = {.checks = TG_CHECK_ALIASES,
                                         .touches =
                                             TG_TOUCH_READ | TG_TOUCH_WRITE | TG_TOUCH_ATOMIC,
                                         .wants = wants,
                                         .make = make,
                                         .free = free_aliases,
                                         .begin = begin,
                                         .touched = touched,
                                         .report = report_shortage};
