/* Memory with two names, an input's and an output's: finds reads by one name of what was written by
 * the other.  If a compiler gives the names different memory, as is usual for blocks that are
 * copied to fast memory and back, the read returns what was there before. */
#include <stdio.h>
#include <stdlib.h>

#include "checks/checks.h"
#include "checks/read_back.h"
#include "interp/state/machine.h"
#include "interp/memory/windows.h"

typedef struct aliases {
    tg_read_back back; /* of memory with two names */
    bool has_windows;  /* the target has windows: it is known which params use one */
} aliases;

static bool wants(const tg_launch *launch)
{
    const tg_kernel *k = launch->plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].alias >= 0) return true;
    return false;
}

static void report(const tg_read_back *all, const tg_writer *w, int64_t place)
{
    const tg_kernel *k = all->plan->kernel;
    const tg_access_event *event = all->event;
    const tg_param *read = &k->params[event->param], *written = &k->params[w->param];
    const int64_t element = tg_memory_planes_element(&all->memory, event->param, place);
    char at[TG_INDEX_TEXT];
    tg_found found = {
        .kind = TG_FINDING_ALIAS_ASSUMED,
        .param = read,
        .at = tg_access_place(all->plan, event),
        .has_elements = true,
        .first = element,
        .last = element,
        .program_index = event->program_index,
        .count = 1,
        .related_count = 1,
        .related = {{.role = "written by", .param = written, .at = tg_writer_place(w)}}};
    snprintf(
        found.message, sizeof found.message,
        "%s reads %s%s, which was written as %s: the two share memory here, but elsewhere they may "
        "not, and the old value is read",
        tg_ops[event->inst->op].name, read->name, tg_index_print(&read->array, element, at),
        written->name);
    tg_findings_add(all->findings, &found);
}

/* Returns whether it depends on the compiler what the current access reads of a write by the other
 * name.  On a TPU, memory that stays in HBM is one memory, whatever its names; and what a program
 * reads from a window is certain if the write came after the window was fetched. */
static bool is_assumed(const aliases *all, const tg_writer *w)
{
    const tg_param *params = all->back.plan->kernel->params;
    if (!all->has_windows) return true;
    if (!tg_param_has_window(&params[w->param]) &&
        !tg_param_has_window(&params[all->back.event->param]))
        return false;
    return w->program_index < all->back.event->since;
}

static bool read_back(tg_read_back *back, const tg_writer *w, int64_t place)
{
    const aliases *all = (const void *)back; /* its first member */
    const bool is_so = w->param != back->event->param && is_assumed(all, w);
    if (is_so) report(back, w, place);
    return is_so;
}

static bool make(const tg_launch *launch, void **state)
{
    const tg_kernel *k = launch->plan->kernel;
    aliases *all = calloc(1, sizeof *all);
    if (!all) return false;
    if (!tg_read_back_init(&all->back, launch->plan, read_back)) {
        free(all);
        return false;
    }
    all->has_windows = tg_setting_has_windows(&launch->setting);
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].alias >= 0) tg_memory_planes_watch(&all->back.memory, p);
    tg_memory_planes_narrow(&all->back.memory, launch->plan);
    *state = all;
    return true;
}

static void accessed(void *own, const tg_access_event *event)
{
    aliases *all = own;
    if (tg_memory_planes_watches(&all->back.memory, event->param))
        tg_read_back_accessed(&all->back, event);
}

const tg_detector tg_detector_aliases = {.checks = TG_CHECK_ALIASES,
                                         .accesses =
                                             TG_ACCESS_READ | TG_ACCESS_WRITE | TG_ACCESS_ATOMIC,
                                         .wants = wants,
                                         .make = make,
                                         .free = tg_read_back_free,
                                         .begin = tg_read_back_begin,
                                         .accessed = accessed,
                                         .report = tg_read_back_report};
