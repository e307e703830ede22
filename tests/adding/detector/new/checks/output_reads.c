/* Outputs that programs read: what is there depends on who has written it before. */
#include <stdio.h>
#include <stdlib.h>

#include "checks/checks.h"
#include "checks/writers.h"
#include "interp/state/machine.h"

typedef struct output_reads {
    const tg_plan *plan;
    tg_findings *findings; /* of the run */
} output_reads;

static bool make(const tg_launch *launch, void **state)
{
    output_reads *s = calloc(1, sizeof *s);
    if (!s) return false;
    s->plan = launch->plan;
    *state = s;
    return true;
}

static bool begin(void *state, const tg_run_begin *run)
{
    output_reads *s = state;
    s->findings = run->launch->findings;
    return true;
}

/* Findings of one kind, op, place and param are counted together, and may come from any thread. */
static void accessed(void *own, const tg_access_event *event)
{
    const output_reads *s = own;
    const tg_param *param = &s->plan->kernel->params[event->param];
    if (param->role != TG_ROLE_OUTPUT) return;
    tg_found found = {.kind = TG_FINDING_OUTPUT_READ,
                      .param = param,
                      .at = tg_access_place(s->plan, event),
                      .has_elements = true,
                      .first = event->first,
                      .last = event->first,
                      .program_index = event->program_index,
                      .count = 1};
    snprintf(found.message, sizeof found.message, "%s reads %s, which is an output",
             tg_ops[event->inst->op].name, param->name);
    tg_findings_add(s->findings, &found);
}

const tg_detector tg_detector_output_reads = {.checks = TG_CHECK_OUTPUT_READS,
                                              .accesses = TG_ACCESS_READ,
                                              .make = make,
                                              .free = free,
                                              .begin = begin,
                                              .accessed = accessed};
