/* Scalar-prefetch tables that the kernel writes and its index maps read.  A TPU evaluates index
 * maps for later programs while earlier programs still run: nothing guarantees that such a write is
 * visible to them. */
#include <stdio.h>
#include <stdlib.h>

#include "checks/checks.h"
#include "checks/read_back.h"
#include "interp/state/machine.h"

static bool is_watched(const tg_plan *plan, uint32_t p)
{
    return plan->kernel->params[p].role == TG_ROLE_PREFETCH && plan->is_written[p];
}

/* Returns whether an op of the body may write a table. */
static bool wants(const tg_launch *launch)
{
    for (uint32_t p = 0; p < launch->plan->kernel->param_count; p++)
        if (is_watched(launch->plan, p)) return true;
    return false;
}

/* Returns the param whose index map contains the instruction; NULL if the body does. */
static const tg_param *map_of(const tg_plan *plan, const tg_inst *inst)
{
    for (uint32_t p = 0; p < plan->kernel->param_count; p++) {
        const tg_code *code = &plan->mappings[p].code;
        if (inst >= code->list && inst < code->list + code->count) return &plan->kernel->params[p];
    }
    return NULL;
}

static bool read_back(tg_read_back *back, const tg_writer *w, int64_t element)
{
    const tg_param *params = back->plan->kernel->params;
    const tg_access_event *event = back->event;
    const tg_param *table = &params[tg_param_owner(back->plan->kernel, event->param)],
                   *reader = map_of(back->plan, event->inst);
    char at[TG_INDEX_TEXT];
    tg_found found = {.kind = TG_FINDING_PREFETCH_WRITTEN,
                      .param = table,
                      .at = tg_writer_place(w),
                      .has_elements = true,
                      .first = element,
                      .last = element,
                      .program_index = w->program_index,
                      .count = 1,
                      .related_count = 1,
                      .related = {{.role = "read by the index map of",
                                   .param = reader,
                                   .at = tg_access_place(back->plan, event)}}};
    snprintf(
        found.message, sizeof found.message,
        "%s writes %s%s, which the index map of %s reads for a later program: a TPU asks index "
        "maps ahead of time, and may get the old value",
        tg_ops[w->inst->op].name, params[w->param].name, tg_index_print(&table->array, element, at),
        reader->name);
    tg_findings_add(back->findings, &found);
    return true;
}

static bool make(const tg_launch *launch, void **state)
{
    tg_read_back *back = calloc(1, sizeof *back);
    if (!back) return false;
    if (!tg_read_back_init(back, launch->plan, read_back)) {
        free(back);
        return false;
    }
    for (uint32_t p = 0; p < launch->plan->kernel->param_count; p++)
        if (is_watched(launch->plan, p)) tg_memory_planes_watch(&back->memory, p);
    *state = back;
    return true;
}

/* The reads of tables by index maps, and the writes of tables by the body. */
static void accessed(void *own, const tg_access_event *event)
{
    tg_read_back *back = own;
    if (!tg_memory_planes_watches(&back->memory, event->param)) return;
    const bool is_of_map = map_of(back->plan, event->inst) != NULL;
    if (is_of_map == (event->kind == TG_ACCESS_READ)) tg_read_back_accessed(back, event);
}

const tg_detector tg_detector_prefetch = {.checks = TG_CHECK_PREFETCH,
                                          .accesses =
                                              TG_ACCESS_READ | TG_ACCESS_WRITE | TG_ACCESS_ATOMIC,
                                          .wants = wants,
                                          .make = make,
                                          .free = tg_read_back_free,
                                          .begin = tg_read_back_begin,
                                          .accessed = accessed,
                                          .report = tg_read_back_report};
