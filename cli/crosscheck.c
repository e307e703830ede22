/* tilegrind crosscheck: cases on several backends, bit by bit. */
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/crosscheck_backends.h"
#include "cli/crosscheck_cases.h"
#include "cli/crosscheck_report.h"
#include "cli/errors.h"
#include "tilegrind/crosscheck.h"

enum { OPT_BACKENDS = 1, OPT_PROFILE, OPT_TENSOR_CORE, OPT_SEEDS, OPT_JSON, OPT_JUNIT };
static const tg_cli_option options[] = {
    {OPT_BACKENDS, "backends", "NAME,...",
     "cpu, emulator[:SEED], gpu[:NUMBER], triton-ptx[:SEED]: at least two; all are compared with "
     "the first (default cpu,emulator, and gpu where this machine has one)"},
    {OPT_PROFILE, "profile", "NAME",
     "reference: the same bits (the default); fast: all but the first run in "
     "profile fast, and each element must be within the bound derived for it"},
    {OPT_TENSOR_CORE, "tensor-core", "MODEL",
     "exact (default); sm90, sm100: all sum products of narrow floats as published of this tensor "
     "core "
     "(docs/numerics-tensor-core.md)"},
    {OPT_SEEDS, "seeds", "N",
     "run emulator N times, with its warps in another order each time "
     "(default 1: their natural order)"},
    {OPT_JSON, "json", NULL, "print one JSON object instead of text"},
    {OPT_JUNIT, "junit", "FILE", "also write the results to FILE as JUnit XML"},
    {0, NULL, NULL, NULL},
};

enum { MOST_SEEDS = 1000 };

typedef struct session {
    int seeds;
    bool as_json, is_fast;
    const char *junit, *asked, *tensor_core;
    tg_case_folders cases;
    tg_backend_list backends;
    tg_cross_report report;
} session;

/* ---- runs ---- */

static tg_status check_case(session *s, const char *path, tg_diags *diags)
{
    const tg_crosscheck_options with = {.size = sizeof with,
                                        .backends = s->backends.names,
                                        .backend_count = s->backends.count,
                                        .profile = s->is_fast ? "fast" : "reference",
                                        .tensor_core = s->tensor_core};
    tg_case *c;
    tg_crosscheck *check = NULL;
    tg_errors *errors = tg_errors_new();
    tg_status status = tg_case_open(path, &c, errors);
    if (status == TG_OK) status = tg_crosscheck_new(c, &with, &check, errors);
    tg_cli_collect(diags, errors, status);
    for (size_t i = 0; status == TG_OK && i < tg_crosscheck_count(check); i++)
        tg_cross_report_add(&s->report, path, check, i);
    tg_crosscheck_free(check);
    tg_case_close(c);
    return status;
}

static int check_all(session *s)
{
    tg_diags diags = {0};
    tg_status status = TG_OK;
    for (size_t i = 0; i < s->cases.count && status == TG_OK; i++)
        status = check_case(s, s->cases.list[i], &diags);
    const size_t *verdicts = s->report.verdicts;
    const bool is_bad =
        verdicts[TG_CROSS_DIFFERENT] || verdicts[TG_CROSS_UNJUDGED] || verdicts[TG_CROSS_FAILED];
    const int code = status != TG_OK ? tg_status_exit(status)
                     : is_bad        ? TG_EXIT_FINDINGS
                                     : TG_EXIT_CLEAN;
    if (s->report.json) {
        tg_emit_close(s->report.json, ']');
        tg_cli_json_diags(s->report.json, &diags);
    } else {
        tg_cli_print_diags(&diags);
    }
    tg_cross_report_end(&s->report);
    tg_diags_free(&diags);
    return code;
}

/* The XML goes to a temporary that is renamed when it is whole. */
static int with_junit(session *s)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.tmp", s->junit) >= (int)sizeof temporary ||
        !(s->report.xml = fopen(temporary, "w"))) {
        fprintf(stderr, "error: %s cannot be written\n", s->junit);
        return TG_EXIT_USAGE;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"crosscheck\">\n",
          s->report.xml);
    const int code = check_all(s);
    fputs("</testsuite>\n", s->report.xml);
    const bool is_written = !ferror(s->report.xml);
    if (fclose(s->report.xml) == 0 && is_written && rename(temporary, s->junit) == 0) return code;
    remove(temporary);
    fprintf(stderr, "error: %s cannot be written\n", s->junit);
    return TG_EXIT_USAGE;
}

static int report_all(session *s)
{
    tg_json_out json = {.out = stdout};
    if (!s->as_json) return s->junit ? with_junit(s) : check_all(s);
    s->report.json = &json;
    tg_emit_open(&json, NULL, '{');
    tg_emit_text(&json, "tilegrind", tg_version());
    tg_emit_open(&json, "results", '[');
    const int code = s->junit ? with_junit(s) : check_all(s);
    tg_emit_int(&json, "exit", code);
    tg_emit_close(&json, '}');
    s->report.json = NULL;
    return code;
}

static int crosscheck(session *s)
{
    s->report.first = s->backends.names[0];
    s->report.is_fast = s->is_fast;
    s->report.cases = s->cases.count;
    s->report.runs = s->backends.count - 1;
    return report_all(s);
}

static const char *take(session *s, int id, const char *value)
{
    char *end;
    if (id == OPT_JSON) s->as_json = true;
    if (id == OPT_JUNIT) s->junit = value;
    if (id == OPT_BACKENDS) s->asked = value;
    if (id == OPT_TENSOR_CORE) s->tensor_core = value;
    if (id == OPT_PROFILE) {
        s->is_fast = strcmp(value, "fast") == 0;
        if (!s->is_fast && strcmp(value, "reference") != 0)
            return "--profile takes reference or fast";
    }
    if (id != OPT_SEEDS) return NULL;
    const long seeds = strtol(value, &end, 10);
    if (end == value || *end || seeds < 1 || seeds > MOST_SEEDS)
        return "--seeds takes a number from 1 to 1000";
    s->seeds = (int)seeds;
    return NULL;
}

/* Bounds are about what PTX does in profile fast, against the interpreter's reference. */
static int check_fast(const session *s)
{
    for (size_t i = 0; i < s->backends.count; i++)
        if ((strcmp(s->backends.names[i], "cpu") == 0) != (i == 0))
            return tg_cli_usage(&tg_command_crosscheck,
                                "--profile fast takes cpu as the first backend, and only there");
    return TG_EXIT_CLEAN;
}

static int run(int argc, char **argv)
{
    session s = {.seeds = 1};
    const char *value, *problem = NULL;
    int first, id, code = TG_EXIT_CLEAN;
    while (!problem && (id = tg_cli_next(&tg_command_crosscheck, argc, argv, &value, &first)) > 0)
        problem = take(&s, id, value);
    if (!problem && id == TG_CLI_HELPED) return TG_EXIT_CLEAN;
    if (!problem && id == TG_CLI_BAD) return TG_EXIT_USAGE;
    if (!problem && argc == first) problem = "at least one case is needed";
    if (problem) return tg_cli_usage(&tg_command_crosscheck, "%s", problem);
    for (int i = first; i < argc && code == TG_EXIT_CLEAN; i++)
        code = tg_case_folders_find(&s.cases, argv[i]);
    if (code == TG_EXIT_CLEAN)
        code = tg_backend_list_make(&s.backends, &tg_command_crosscheck, s.asked, s.seeds);
    if (code == TG_EXIT_CLEAN && s.is_fast) code = check_fast(&s);
    if (code == TG_EXIT_CLEAN) code = crosscheck(&s);
    tg_backend_list_free(&s.backends);
    tg_case_folders_free(&s.cases);
    return code;
}

const tg_cli_command tg_command_crosscheck = {
    "crosscheck",
    "CASE...",
    "run cases on the interpreter and as PTX, and compare bit by bit",
    "Runs each case on several backends: the interpreter, which is cpu, and compiled to PTX, "
    "which\n"
    "an emulator or an NVIDIA GPU executes.  Outputs must have the same bits (NaN being NaN\n"
    "whatever its bits), findings must be the same, and so must printed text.  If outputs differ\n"
    "from those of cpu, both run once more with a trace of every op, and the first op that "
    "differs\n"
    "is named.\n"
    "triton-ptx is the PTX that the case itself has, made by Triton's own compiler, in the\n"
    "emulator.  It is compared with cpu, whose outputs may differ from it as far as the case's\n"
    "expect.compare says, which is within.\n"
    "A CASE is a folder with case.json, or one with such folders somewhere below it.\n"
    "With --profile fast the interpreter stays in profile reference.  An element that differs is\n"
    "within if its distance is at most a bound that is derived for it, op by op, from the error\n"
    "of each approximate instruction and rounding.  An element without such a bound is unjudged.\n"
    "Printed text is not compared then.\n"
    "A case that needs what the PTX backend lacks is reported as refused, with the source "
    "location;\n"
    "that is no failure.\n"
    "Exit code 1 if anything differs, with bounds by more than these, is unjudged or fails.",
    options,
    run,
};
