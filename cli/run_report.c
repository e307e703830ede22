#include "cli/run_report.h"

#include <string.h>

#include "cli/coverage.h"
#include "cli/findings.h"
#include "cli/mesh.h"
#include "cli/memory_cost.h"
#include "cli/repeat.h"
#include "cli/style.h"

void tg_cli_print_findings(const tg_cli_reports *reports, const tg_report *report)
{
    char repeat[TG_CLI_REPEAT];
    tg_suppression known;
    tg_cli_told told = {0};
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        if (tg_cli_is_known(reports, report, i, &known)) continue;
        tg_cli_repeat(reports->request, f.order, repeat);
        tg_cli_print_finding(report, i, repeat, &told);
    }
}

/* " on 8 devices"; "" for a run on no mesh. */
static void print_devices(const tg_report *report)
{
    const size_t count = tg_report_device_count(report);
    if (count) printf(" on %zu device%s", count, count == 1 ? "" : "s");
}

void tg_cli_print_stats(const tg_run_request *request, const tg_report *report)
{
    const tg_run_stats run = tg_report_stats(report), *stats = &run;
    char programs[TG_NUMBER_TEXT], time[TG_NUMBER_TEXT], executed[TG_NUMBER_TEXT];
    const bool is_cpu = strcmp(stats->backend, "cpu") == 0;
    if (request->is_check)
        printf("checked for %s and in other orders; ", request->checks ? request->checks : "all");
    printf("%s: %s program%s", stats->order, tg_number_text(stats->programs, programs),
           stats->programs == 1 ? "" : "s");
    print_devices(report);
    printf(", %d thread%s, %s%s%s, profile %s, ", stats->threads, stats->threads == 1 ? "" : "s",
           is_cpu ? "" : stats->backend, is_cpu ? "" : ", ", stats->isa, stats->profile);
    if (stats->instructions)
        printf("%s instructions, ", tg_number_text(stats->instructions, executed));
    printf("%s: ", tg_seconds_text(stats->seconds, time));
}

void tg_cli_print_suppressed(const tg_cli_reports *reports, const tg_cli_tally *tally)
{
    char count[TG_NUMBER_TEXT];
    if (tally->unexpected && !tally->failing)
        printf(", none that --fail-on %s asks for", tg_cli_least_level(reports->request));
    if (tally->suppressed)
        printf(", %s suppressed", tg_number_text((int64_t)tally->suppressed, count));
}

static void json_findings(tg_json_out *json, const tg_cli_reports *reports, const tg_report *report)
{
    tg_emit_open(json, "findings", '[');
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        tg_suppression known;
        const bool is_known = tg_cli_is_known(reports, report, i, &known);
        tg_cli_json_finding(json, report, i, is_known ? &known : NULL);
    }
    tg_emit_close(json, ']');
}

void tg_cli_json_run(tg_json_out *json, const tg_cli_reports *reports, const tg_report *report,
                     const tg_cli_tally *tally)
{
    char repeat[TG_CLI_REPEAT];
    tg_run_stats stats = tg_report_stats(report);
    tg_cli_repeat(reports->request, stats.order, repeat);
    tg_emit_text(json, "order", stats.order);
    tg_emit_int(json, "programs", stats.programs);
    tg_emit_int(json, "threads", stats.threads);
    tg_emit_text(json, "isa", stats.isa);
    tg_emit_text(json, "profile", stats.profile);
    tg_emit_text(json, "backend", stats.backend);
    if (stats.instructions) tg_emit_int(json, "instructions", stats.instructions);
    tg_emit_real(json, "seconds", stats.seconds);
    tg_emit_text(json, "repeat", repeat);
    json_findings(json, reports, report);
    tg_cli_json_mesh(json, report);
    tg_cli_json_coverage(json, report);
    tg_cli_json_memory_cost(json, report);
    tg_emit_int(json, "suppressed", (int64_t)tally->suppressed);
    tg_emit_int(json, "failing", (int64_t)tally->failing);
}
