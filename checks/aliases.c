/* Memory that has two names, an input's and an output's: what is written by the one and read by the other.  Where a compiler gives them
 * different memory, as is usual for blocks that are copied to fast memory and back, the read sees what was there before. */
#include "checks/checks.h"
#include "interp/machine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/number_map.h"
#include "checks/plane.h"
#include "interp/windows.h"
#include "base/list.h"

/* Who wrote an element last. */
typedef struct writer {
    uint32_t param;
    const tg_inst *inst;
    int64_t order, chain;
    int64_t program[TG_MAX_AXES];
} writer;

typedef struct aliases {
    const tg_plan *plan;
    bool has_windows; /* and it is known which parameters do */
    size_t *width;    /* per param that owns memory with two names: bytes of a place; else 0 */
    tg_plane *plane;  /* per param: the number of the writer, plus 1; 0: nobody yet */
    writer *writers;
    uint32_t count;
    size_t room;
    tg_number_map numbers; /* of writers, by instruction and program */
    tg_findings *findings;
    pthread_mutex_t lock;
    bool is_incomplete;
    const tg_touch *touch; /* the one at hand */
    tg_plane *at;
    uint32_t number; /* what it writes */
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

/* Places are as wide as the narrowest elements that any op touches there. */
static void find_widths(aliases *all)
{
    const tg_kernel *k = all->plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].alias >= 0)
            all->width[tg_param_owner(k, p)] = tg_dtypes[k->params[p].array.dtype].bytes;
    for (uint32_t i = 0; i < all->plan->body.count; i++) {
        const tg_access_plan *a = tg_inst_accesses(&all->plan->body.list[i]);
        if (!a || a->root == UINT32_MAX) continue;
        size_t *width = &all->width[tg_param_owner(k, a->root)];
        if (tg_dtypes[a->dtype].bytes < *width) *width = tg_dtypes[a->dtype].bytes;
    }
}

static void clear(aliases *all)
{
    for (uint32_t p = 0; all->plane && p < all->plan->kernel->param_count; p++)
        tg_plane_free(&all->plane[p]);
    tg_number_map_free(&all->numbers);
    all->count = 0;
}

static void free_aliases(void *state)
{
    aliases *all = state;
    clear(all);
    pthread_mutex_destroy(&all->lock);
    free(all->writers);
    free(all->width);
    free(all->plane);
    free(all);
}

static bool make(const tg_launch *launch, void **state)
{
    aliases *all = calloc(1, sizeof *all);
    const uint32_t params = launch->plan->kernel->param_count;
    if (!all) return false;
    if (pthread_mutex_init(&all->lock, NULL) != 0) {
        free(all);
        return false;
    }
    all->plan = launch->plan;
    all->has_windows = tg_setting_has_windows(&launch->setting);
    all->width = calloc(params + 1, sizeof *all->width);
    all->plane = calloc(params + 1, sizeof *all->plane);
    if (!all->width || !all->plane) {
        free_aliases(all);
        return false;
    }
    find_widths(all);
    *state = all;
    return true;
}

static bool begin(void *state, const tg_run_begin *run)
{
    aliases *all = state;
    const tg_kernel *k = all->plan->kernel;
    clear(all);
    all->findings = run->launch->findings;
    all->is_incomplete = false;
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (!all->width[p]) continue;
        const size_t per_element = tg_dtypes[k->params[p].array.dtype].bytes / all->width[p];
        if (!tg_plane_init(&all->plane[p],
                           tg_type_count(&k->params[p].array) * (int64_t)per_element,
                           tg_plane_run_of(&k->params[p], all->width[p]), 0))
            return false;
    }
    return true;
}

/* What there is to tell has been told. */
static bool report_shortage(void *state, tg_run_end *run)
{
    const aliases *all = state;
    bool is_complete = !all->is_incomplete;
    (void)run;
    for (uint32_t p = 0; p < all->plan->kernel->param_count; p++)
        if (all->plane[p].is_incomplete) is_complete = false;
    return is_complete;
}

/* ---- writers ---- */

/* The number of who does the touch, plus 1; 0 without memory. */
static uint32_t number_of(aliases *all, const tg_touch *touch)
{
    enum { ORDER_BITS = 44 };
    const uint64_t key =
        (uint64_t)(touch->inst - all->plan->body.list) << ORDER_BITS | (uint64_t)touch->order;
    const uint32_t known = tg_number_map_get(&all->numbers, key);
    if (known != UINT32_MAX) return known + 1;
    writer *list = tg_list_grow(all->writers, all->count, &all->room, sizeof *list);
    if (!list) return 0;
    all->writers = list;
    if (!tg_number_map_put(&all->numbers, key, all->count)) return 0;
    writer *w = &all->writers[all->count++];
    *w = (writer){
        .param = touch->param, .inst = touch->inst, .order = touch->order, .chain = touch->chain};
    memcpy(w->program, touch->program, sizeof(int64_t) * (size_t)all->plan->kernel->axis_count);
    return all->count;
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

static void report(aliases *all, const writer *w, int64_t place)
{
    const tg_kernel *k = all->plan->kernel;
    const tg_touch *touch = all->touch;
    const tg_param *read = &k->params[touch->param], *written = &k->params[w->param];
    const int64_t per_element =
        (int64_t)(tg_dtypes[read->array.dtype].bytes / all->width[tg_param_owner(k, touch->param)]);
    char at[TG_INDEX_TEXT];
    tg_found found = {.kind = TG_FINDING_ALIAS_ASSUMED,
                      .param = read,
                      .at = {.op = touch->inst->op, .loc = touch->inst->loc, .has_program = true},
                      .has_elements = true,
                      .first = place / per_element,
                      .last = place / per_element,
                      .order = touch->order,
                      .count = 1,
                      .related_count = 1};
    memcpy(found.at.program, touch->program, sizeof(int64_t) * (size_t)k->axis_count);
    found.related[0] =
        (tg_found_related){.role = "written by",
                           .param = written,
                           .at = {.op = w->inst->op, .loc = w->inst->loc, .has_program = true}};
    memcpy(found.related[0].at.program, w->program, sizeof w->program);
    snprintf(
        found.message, sizeof found.message,
        "%s reads %s%s, which was written as %s: the two share memory here, but elsewhere they may "
        "not, and the old value is read",
        tg_ops[touch->inst->op].name, read->name, tg_index_print(&read->array, found.first, at),
        written->name);
    tg_findings_add(all->findings, &found);
    all->has_reported = true;
}

/* Whether it is open what the touch at hand reads of what was written by the other name.  On a TPU, memory that is left in HBM is one,
 * whatever its names; and what a program finds in a window is settled where it was written after the window was fetched. */
static bool is_assumed(const aliases *all, const writer *w)
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
    const writer *w = &all->writers[number - 1];
    if (w->param != all->touch->param && w->chain == all->touch->chain && is_assumed(all, w))
        report(all, w, first);
}

static void touch_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    aliases *all = context;
    if (all->touch->kind == TG_TOUCH_READ)
        tg_plane_visit_strided(all->at, first, stride, count, read_places, all);
    else
        tg_plane_update_strided(all->at, first, stride, count, write_places, all);
}

static void touched(void *context, const tg_touch *touch)
{
    aliases *all = context;
    const uint32_t owner = tg_param_owner(all->plan->kernel, touch->param);
    if (!all->width[owner]) return;
    pthread_mutex_lock(&all->lock);
    all->touch = touch;
    all->at = &all->plane[owner];
    all->has_reported = false;
    all->number = touch->kind == TG_TOUCH_READ ? 0 : number_of(all, touch);
    if (touch->kind == TG_TOUCH_READ || all->number)
        tg_touch_runs(touch, all->width[owner], touch_run, all);
    else
        all->is_incomplete = true;
    pthread_mutex_unlock(&all->lock);
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
