/* Reports of runs. */
#include <stdlib.h>

#include "api/api_impl.h"

void tg_report_free(tg_report *report)
{
    if (report) tg_findings_free(&report->findings);
    free(report);
}

size_t tg_report_finding_count(const tg_report *report) { return report->findings.count; }

tg_finding tg_report_finding(const tg_report *report, size_t index)
{
    const tg_found *found = &report->findings.list[index];
    const tg_loc *loc = &report->module->locs[found->loc];
    return (tg_finding){.kind = tg_finding_names[found->kind],
                        .kernel = report->kernel->name,
                        .op = found->op == TG_OP_COUNT ? "" : tg_ops[found->op].name,
                        .param = found->param ? found->param->name : "",
                        .file = loc->file,
                        .function = loc->function,
                        .line = loc->line,
                        .rank = report->kernel->axis_count,
                        .program = found->has_program ? found->program : NULL,
                        .count = found->count,
                        .message = found->message};
}

tg_run_stats tg_report_stats(const tg_report *report)
{
    return (tg_run_stats){.programs = report->result.programs,
                          .threads = report->result.threads,
                          .seconds = report->result.seconds,
                          .order = report->order,
                          .isa = report->isa,
                          .profile = report->profile,
                          .backend = report->backend,
                          .instructions = report->result.instructions};
}
