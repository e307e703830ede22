/* Layouts that do not fit each other, or the instructions that use them.  The kernel alone decides, so
 * that each finding is proven, whatever the run does. */
#include "checks/checks.h"

#include <stdio.h>
#include <string.h>

#include "interp/state/machine.h"
#include "physical/demands.h"

static const tg_finding_kind kinds[TG_PROBLEM_COUNT] = {
    [TG_PROBLEM_MISMATCH] = TG_FINDING_LAYOUT_MISMATCH,
    [TG_PROBLEM_OVERLAP] = TG_FINDING_LAYOUT_OVERLAP,
    [TG_PROBLEM_ILLEGAL] = TG_FINDING_LAYOUT_ILLEGAL,
    [TG_PROBLEM_UNCHECKED] = TG_FINDING_LAYOUT_UNCHECKED,
};

/* The kernel that was written, of which a physical run executes another form. */
static const tg_kernel *written(const tg_launch *launch)
{
    const tg_kernel *k = launch->plan->kernel;
    return k->logical ? k->logical : k;
}

static bool wants(const tg_launch *launch) { return tg_kernel_has_layouts(written(launch)); }

typedef struct report_context {
    const tg_kernel *kernel;
    tg_findings *findings;
    uint64_t number;
} report_context;

static void tell(void *context, const tg_problem *problem)
{
    report_context *c = context;
    tg_found found = {.kind = kinds[problem->kind],
                      .param =
                          problem->param == UINT32_MAX ? NULL : &c->kernel->params[problem->param],
                      .at = {.op = problem->op ? problem->op->code : TG_OP_COUNT,
                             .loc = problem->op ? problem->op->loc : c->kernel->loc},
                      .count = 1,
                      .other = ++c->number};
    memcpy(found.message, problem->message, sizeof found.message);
    tg_findings_add(c->findings, &found);
}

static bool report(void *state, tg_run_end *run)
{
    report_context c = {.kernel = run->launch->plan->kernel, .findings = run->findings};
    tg_problems problems = {.tell = tell, .context = &c};
    (void)state;
    return tg_demands_check(written(run->launch), &problems) == TG_OK;
}

const tg_detector tg_detector_layouts = {
    .checks = TG_CHECK_LAYOUTS, .wants = wants, .report = report};
