#include "cli/sarif.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/findings.h"
#include "cli/mesh.h"
#include "base/text.h"

static void put_message(tg_json_out *json, const char *key, const char *text)
{
    tg_emit_open(json, key, '{');
    tg_emit_text(json, "text", text);
    tg_emit_close(json, '}');
}

/* SARIF has no lesser level than "note". */
static const char *level_of(const char *level)
{
    return strcmp(level, "advice") == 0 ? "note" : level;
}

/* ---- the tool ---- */

static void put_rule(tg_json_out *json, const tg_finding_kind_info *kind)
{
    char sentence[256];
    snprintf(sentence, sizeof sentence, "%c%s", toupper((unsigned char)kind->means[0]),
             kind->means + 1);
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "id", kind->name);
    put_message(json, "shortDescription", sentence);
    snprintf(sentence, sizeof sentence,
             "docs/findings.md of Tilegrind says when `%s` is reported, and how the run goes on.",
             kind->name);
    tg_emit_open(json, "help", '{');
    tg_emit_text(json, "text", sentence);
    tg_emit_text(json, "markdown", sentence);
    tg_emit_close(json, '}');
    tg_emit_open(json, "defaultConfiguration", '{');
    tg_emit_text(json, "level", level_of(kind->level));
    tg_emit_close(json, '}');
    tg_emit_close(json, '}');
}

static void put_tool(tg_json_out *json)
{
    tg_emit_open(json, "tool", '{');
    tg_emit_open(json, "driver", '{');
    tg_emit_text(json, "name", "Tilegrind");
    tg_emit_text(json, "version", tg_version());
    tg_emit_text(json, "semanticVersion", tg_version());
    tg_emit_open(json, "rules", '[');
    for (size_t i = 0; i < tg_finding_kind_count(); i++) {
        const tg_finding_kind_info kind = tg_finding_kind_get(i);
        put_rule(json, &kind);
    }
    tg_emit_close(json, ']');
    tg_emit_close(json, '}');
    tg_emit_close(json, '}');
}

static int rule_of(const char *kind)
{
    for (size_t i = 0; i < tg_finding_kind_count(); i++)
        if (strcmp(tg_finding_kind_get(i).name, kind) == 0) return (int)i;
    return -1; /* SARIF's word for "none" */
}

/* ---- results ---- */

static void put_locations(tg_json_out *json, const tg_finding *f, const char *instead)
{
    tg_emit_open(json, "locations", '[');
    tg_emit_open(json, NULL, '{');
    tg_sarif_place(json, f->file, f->line, instead);
    tg_emit_open(json, "logicalLocations", '[');
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "name", f->kernel);
    tg_emit_text(json, "kind", "function");
    tg_emit_close(json, '}');
    tg_emit_close(json, ']');
    tg_emit_close(json, '}');
    tg_emit_close(json, ']');
}

/* The program and what it does there: "conflicts with load of o_ref, program (1)". */
static void put_related(tg_json_out *json, const tg_report *report, const tg_related *related,
                        int rank, size_t number, const char *instead)
{
    char program[TG_CLI_PROGRAM_TEXT];
    tg_text text = {0};
    tg_cli_program_text(report, related->program, rank, program);
    tg_text_put(&text, related->role);
    if (related->op[0]) tg_text_add(&text, " %s", related->op);
    if (related->param[0]) tg_text_add(&text, " of %s", related->param);
    if (related->op[0] && related->variable[0]) tg_text_add(&text, " for %s", related->variable);
    if (program[0]) tg_text_add(&text, "%s%s", related->op[0] ? ", " : " ", program);
    char *message = tg_text_finish(&text);
    tg_emit_open(json, NULL, '{');
    tg_emit_int(json, "id", (int64_t)number + 1);
    tg_sarif_place(json, related->file, related->line, instead);
    put_message(json, "message", message ? message : related->role);
    free(message);
    tg_emit_open(json, "properties", '{');
    tg_cli_json_program(json, related->program, rank);
    tg_emit_close(json, '}');
    tg_emit_close(json, '}');
}

/* A list also where nothing covers it: so readers know that suppressions were looked at. */
static void put_suppressions(tg_json_out *json, const tg_suppression *known)
{
    tg_emit_open(json, "suppressions", '[');
    if (known) {
        tg_emit_open(json, NULL, '{');
        tg_emit_text(json, "kind", "external");
        tg_emit_text(json, "status", "accepted");
        tg_emit_text(json, "justification", known->name);
        tg_emit_open(json, "location", '{');
        tg_sarif_place(json, known->file, known->line, known->file);
        tg_emit_close(json, '}');
        tg_emit_close(json, '}');
    }
    tg_emit_close(json, ']');
}

static void put_properties(tg_json_out *json, const tg_report *report, size_t index,
                           const char *repeat)
{
    const tg_finding finding = tg_report_finding(report, index), *f = &finding;
    tg_emit_open(json, "properties", '{');
    tg_emit_text(json, "kernel", f->kernel);
    if (f->op[0]) tg_emit_text(json, "op", f->op);
    if (f->param[0]) tg_emit_text(json, "param", f->param);
    if (f->variable[0]) tg_emit_text(json, "variable", f->variable);
    tg_cli_json_program(json, f->program, f->rank);
    tg_cli_json_devices(json, report, index);
    tg_cli_json_elements(json, f);
    tg_emit_int(json, "count", f->count);
    tg_emit_text(json, "order", f->order);
    tg_emit_text(json, "repeat", repeat);
    tg_emit_close(json, '}');
}

static void put_frame(tg_json_out *json, const char *file, int64_t line, const char *function,
                      const char *instead)
{
    tg_emit_open(json, NULL, '{');
    tg_emit_open(json, "location", '{');
    tg_sarif_place(json, file, line, instead);
    put_message(json, "message", function[0] ? function : file);
    tg_emit_close(json, '}');
    tg_emit_close(json, '}');
}

/* From the line of the finding outwards. */
static void put_stack(tg_json_out *json, const tg_report *report, size_t index, const char *instead)
{
    const tg_finding f = tg_report_finding(report, index);
    tg_emit_open(json, "stacks", '[');
    tg_emit_open(json, NULL, '{');
    tg_emit_open(json, "frames", '[');
    put_frame(json, f.file, f.line, f.function, instead);
    for (size_t i = 0; i < f.caller_count; i++) {
        const tg_caller caller = tg_report_caller(report, index, i);
        put_frame(json, caller.file, caller.line, caller.function, instead);
    }
    tg_emit_close(json, ']');
    tg_emit_close(json, '}');
    tg_emit_close(json, ']');
}

/* Alerts are looked at one by one: each has the device and the hint. */
static void put_result_message(tg_json_out *json, const tg_finding *f)
{
    char device[TG_CLI_DEVICE_TEXT];
    tg_text text = {0};
    tg_text_put(&text, f->message);
    if (tg_cli_device_text(f, device)[0]) tg_text_add(&text, "; on %s", device);
    if (f->advice[0]) tg_text_add(&text, "; advice: %s", f->advice);
    if (f->hint[0]) tg_text_add(&text, "; hint: %s", f->hint);
    char *message = tg_text_finish(&text);
    put_message(json, "message", message ? message : f->message);
    free(message);
}

static void put_result(tg_sarif *log, const tg_report *report, size_t index, const char *repeat,
                       const tg_suppression *known)
{
    tg_json_out *json = &log->json;
    const tg_finding f = tg_report_finding(report, index);
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "ruleId", f.kind);
    tg_emit_int(json, "ruleIndex", rule_of(f.kind));
    tg_emit_text(json, "level", level_of(f.level));
    put_result_message(json, &f);
    put_locations(json, &f, log->instead);
    tg_emit_open(json, "relatedLocations", '[');
    for (size_t i = 0; i < f.related_count; i++) {
        const tg_related related = tg_report_related(report, index, i);
        put_related(json, report, &related, f.rank, i, log->instead);
    }
    tg_emit_close(json, ']');
    if (f.caller_count) put_stack(json, report, index, log->instead);
    tg_sarif_fingerprint(json, report, index);
    put_suppressions(json, known);
    put_properties(json, report, index, repeat);
    tg_emit_close(json, '}');
}

void tg_sarif_add(tg_sarif *log, const tg_report *report, size_t index, const char *repeat,
                  const tg_suppression *known)
{
    char place[64];
    const tg_finding f = tg_report_finding(report, index);
    snprintf(place, sizeof place, "%" PRId64 " %" PRId64, f.line, f.count);
    uint64_t number = tg_number_with(TG_NUMBER_OF_NOTHING, f.kind);
    number = tg_number_with(tg_number_with(number, f.message), place);
    number = tg_number_with(tg_number_with(number, f.file), f.op);
    if (tg_seen_add(&log->seen, number)) put_result(log, report, index, repeat, known);
}

/* ---- the log ---- */

tg_status tg_sarif_begin(tg_sarif *log, const char *path, const tg_run_request *request,
                         tg_diags *diags)
{
    char text[4096];
    *log = (tg_sarif){0};
    TG_TRY(tg_file_create(path, &log->file, diags));
    log->json.out = log->file.stream;
    snprintf(log->instead, sizeof log->instead, "%s%s", request->path,
             tg_cli_is_case(request->path) ? "/case.json" : "");
    tg_json_out *json = &log->json;
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "$schema",
                 "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                 "sarif-schema-2.1.0.json");
    tg_emit_text(json, "version", "2.1.0");
    tg_emit_open(json, "runs", '[');
    tg_emit_open(json, NULL, '{');
    put_tool(json);
    /* Logs of other kernels must not take this one's place. */
    snprintf(text, sizeof text, "tilegrind %s/%.4000s/", request->is_check ? "check" : "run",
             request->path);
    tg_emit_open(json, "automationDetails", '{');
    tg_emit_text(json, "id", text);
    tg_emit_close(json, '}');
    tg_emit_text(json, "columnKind", "unicodeCodePoints");
    tg_emit_open(json, "results", '[');
    return TG_OK;
}

static void put_invocation(tg_json_out *json, int exit_code, const tg_diags *diags)
{
    tg_emit_open(json, "invocations", '[');
    tg_emit_open(json, NULL, '{');
    tg_emit_bool(json, "executionSuccessful", diags->count == 0);
    tg_emit_int(json, "exitCode", exit_code);
    tg_emit_open(json, "toolExecutionNotifications", '[');
    for (size_t i = 0; i < diags->count; i++) {
        tg_emit_open(json, NULL, '{');
        tg_emit_text(json, "level", "error");
        put_message(json, "message", diags->list[i].message);
        tg_emit_close(json, '}');
    }
    tg_emit_close(json, ']');
    tg_emit_close(json, '}');
    tg_emit_close(json, ']');
}

tg_status tg_sarif_finish(tg_sarif *log, int exit_code, tg_diags *diags)
{
    tg_json_out *json = &log->json;
    tg_emit_close(json, ']');
    put_invocation(json, exit_code, diags);
    tg_emit_close(json, '}');
    tg_emit_close(json, ']');
    tg_emit_close(json, '}');
    tg_seen_free(&log->seen);
    return tg_file_commit(&log->file, diags);
}

void tg_sarif_discard(tg_sarif *log)
{
    tg_seen_free(&log->seen);
    tg_file_discard(&log->file);
}
