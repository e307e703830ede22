#include "cli/run_report.h"

#include <string.h>

#include "cli/coverage.h"
#include "cli/findings.h"
#include "cli/style.h"

/* Appends " --name value", quoted for a shell where that is needed; leaves out what does not fit. */
static void append(char *text, size_t size, const char *option, const char *value)
{
    size_t used = strlen(text);
    if (!value || used + strlen(option) + 4 * strlen(value) + 8 > size) return;
    char *at = text + used;
    at += snprintf(at, size - used, " %s%s", option, option[0] ? " " : "");
    bool plain = value[strcspn(value, " \t\n\"'$`\\*?[]{}()<>|&;!#~")] == '\0' && value[0];
    if (!plain) *at++ = '\'';
    for (const char *c = value; *c; c++) {
        if (*c == '\'' && !plain) {
            memcpy(at, "'\\''", 4); /* end the quotes, a quote, begin them again */
            at += 4;
        } else {
            *at++ = *c;
        }
    }
    if (!plain) *at++ = '\'';
    *at = '\0';
}

/* The checks of the request; what an order shows by itself needs none. */
static const char *checks_of(const tg_run_request *r, const char *order)
{
    if (strncmp(order, "replay:", 7) == 0) return NULL;
    return r->checks ? r->checks : r->is_check ? "all" : NULL;
}

void tg_cli_repeat(const tg_run_request *r, const char *order, char out[TG_CLI_REPEAT])
{
    snprintf(out, TG_CLI_REPEAT, "tilegrind run");
    append(out, TG_CLI_REPEAT, "", r->path);
    for (size_t i = 0; i < r->input_count; i++) append(out, TG_CLI_REPEAT, "--in", r->inputs[i]);
    append(out, TG_CLI_REPEAT, "--order", order);
    append(out, TG_CLI_REPEAT, "--compat", r->compat);
    append(out, TG_CLI_REPEAT, "--isa", r->isa);
    append(out, TG_CLI_REPEAT, "--profile", r->profile);
    append(out, TG_CLI_REPEAT, "--backend", r->backend);
    append(out, TG_CLI_REPEAT, "--check", checks_of(r, order));
    append(out, TG_CLI_REPEAT, "--target", r->target);
    append(out, TG_CLI_REPEAT, "--trap", r->trap);
    append(out, TG_CLI_REPEAT, "--max-steps", r->max_steps_text);
    append(out, TG_CLI_REPEAT, "--partly-written", r->partly_written);
    append(out, TG_CLI_REPEAT, "--kernel", r->kernel);
    append(out, TG_CLI_REPEAT, "--grid", r->grid_text);
}

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

void tg_cli_print_stats(const tg_run_request *request, const tg_run_stats *stats)
{
    char programs[TG_NUMBER_TEXT], time[TG_NUMBER_TEXT], executed[TG_NUMBER_TEXT];
    const bool is_cpu = strcmp(stats->backend, "cpu") == 0;
    if (request->is_check)
        printf("checked for %s and in other orders; ", request->checks ? request->checks : "all");
    printf("%s: %s program%s, %d thread%s, %s%s%s, profile %s, ", stats->order,
           tg_number_text(stats->programs, programs), stats->programs == 1 ? "" : "s",
           stats->threads, stats->threads == 1 ? "" : "s", is_cpu ? "" : stats->backend,
           is_cpu ? "" : ", ", stats->isa, stats->profile);
    if (stats->instructions)
        printf("%s instructions, ", tg_number_text(stats->instructions, executed));
    printf("%s: ", tg_seconds_text(stats->seconds, time));
}

void tg_cli_print_suppressed(const tg_cli_reports *reports, const tg_cli_tally *tally)
{
    char count[TG_NUMBER_TEXT];
    if (tally->unexpected && !tally->failing)
        printf(", none that --fail-on %s asks for", reports->request->fail_on);
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
    tg_cli_json_coverage(json, report);
    tg_emit_int(json, "suppressed", (int64_t)tally->suppressed);
    tg_emit_int(json, "failing", (int64_t)tally->failing);
}
