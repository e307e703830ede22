#include "cli/run_args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/mesh.h"
#include "cli/reports.h"
#include "cli/run_case.h"
#include "cli/run_kernel.h"
#include "cli/run_watch.h"

/* Appends to a list of arguments; `problem` where it is full. */
static const char *append(const char **list, size_t *count, size_t most, const char *value,
                          const char *problem)
{
    if (*count == most) return problem;
    list[(*count)++] = value;
    return NULL;
}

/* Reads "4,8". */
static const char *take_grid(tg_run_request *r, const char *text)
{
    r->grid_text = text;
    r->grid_count = 0;
    for (const char *at = text;; at++) {
        char *end;
        errno = 0;
        if (r->grid_count == TG_CLI_MAX_AXES) return "--grid has too many axes";
        long long size = strtoll(at, &end, 10);
        if (end == at || errno || size < 0)
            return "--grid takes sizes separated by commas, as in 4,8";
        r->grid[r->grid_count++] = size;
        if (!*end) return NULL;
        if (*end != ',') return "--grid takes sizes separated by commas, as in 4,8";
        at = end;
    }
}

static const char *take_steps(tg_run_request *r, const char *text)
{
    char *end;
    errno = 0;
    const long long steps = strtoll(text, &end, 10);
    r->max_steps = steps;
    r->max_steps_text = text;
    return end == text || *end || errno || steps < 1 ? "--max-steps takes a number from 1 on"
                                                     : NULL;
}

static const char *take_warps(tg_run_request *r, const char *text)
{
    char *end;
    errno = 0;
    const long warps = strtol(text, &end, 10);
    r->warps = (int)warps;
    r->warps_text = text;
    return end == text || *end || errno || warps < 1 || warps > 32
               ? "--warps takes a number from 1 to 32"
               : NULL;
}

static const char *take_level(tg_run_request *r, const char *value)
{
    r->fail_on = value;
    return tg_cli_is_level(value) ? NULL : "--fail-on takes error, warning, note, advice or never";
}

/* Notes an option that both commands have; returns what is wrong with it, or NULL. */
static const char *take_common(tg_run_request *r, int id, const char *value)
{
    switch (id) {
    case TG_OPT_IN:
        return append(r->inputs, &r->input_count, TG_CLI_MAX_INPUTS, value, "too many --in");
    case TG_OPT_SUPPRESSIONS:
        return append(r->suppressions, &r->suppression_count, TG_CLI_MAX_SUPPRESSIONS, value,
                      "too many --suppressions");
    case TG_OPT_OUT: r->out = value; return NULL;
    case TG_OPT_HTML: r->html = value; return NULL;
    case TG_OPT_TRACE: r->trace = value; return NULL;
    case TG_OPT_CHECK: r->checks = value; return NULL;
    case TG_OPT_TARGET: r->target = value; return NULL;
    case TG_OPT_TRAP: r->trap = value; return NULL;
    case TG_OPT_WARPS: return take_warps(r, value);
    case TG_OPT_MAX_STEPS: return take_steps(r, value);
    case TG_OPT_PARTLY_WRITTEN: r->partly_written = value; return NULL;
    case TG_OPT_LAYOUTS: r->layouts = value; return NULL;
    case TG_OPT_TENSOR_CORE: r->tensor_core = value; return NULL;
    case TG_OPT_ISA: r->isa = value; return NULL;
    case TG_OPT_PROFILE: r->profile = value; return NULL;
    case TG_OPT_KERNEL: r->kernel = value; return NULL;
    case TG_OPT_GRID: return take_grid(r, value);
    case TG_OPT_MESH: r->mesh = value; return NULL;
    case TG_OPT_SHARDING: return tg_cli_take_sharding(r, value);
    case TG_OPT_DEVICE_ORDER: r->device_order = value; return NULL;
    case TG_OPT_GEN_SUPPRESSIONS: r->gen_suppressions = value; return NULL;
    case TG_OPT_FAIL_ON: return take_level(r, value);
    case TG_OPT_SARIF: r->sarif = value; return NULL;
    default: r->as_json = true; return NULL;
    }
}

static const char *check_recording(const tg_run_request *r)
{
    const bool is_cpu = !r->backend || strcmp(r->backend, "cpu") == 0;
    if (r->html && !is_cpu) return "--html goes with backend cpu";
    return r->trace && !is_cpu ? "--trace goes with backend cpu" : NULL;
}

static const char *check_request(const tg_run_request *r)
{
    if (r->as_json && r->gen_suppressions && strcmp(r->gen_suppressions, "-") == 0)
        return "--gen-suppressions - does not go with --json";
    return check_recording(r);
}

static const char *check_case(const tg_run_request *r)
{
    if (r->input_count) return "--in goes with a kernel file; a case has its inputs";
    if (r->kernel) return "--kernel goes with a kernel file; a case names its kernel";
    if (r->grid_count) return "--grid goes with a kernel file; a case has its grid";
    return NULL;
}

int tg_cli_run_request(const tg_cli_command *command, tg_run_request *r, tg_cli_take *take,
                       int argc, char **argv)
{
    const char *value, *problem = NULL;
    int first, id;
    while (!problem && (id = tg_cli_next(command, argc, argv, &value, &first)) != TG_CLI_DONE) {
        if (id == TG_CLI_HELPED) return TG_EXIT_CLEAN;
        if (id == TG_CLI_BAD) return TG_EXIT_USAGE;
        problem = id < TG_OPT_OWN ? take_common(r, id, value) : take(r, id, value);
    }
    if (!problem) problem = check_request(r);
    if (!problem && argc - first != 1) problem = "exactly one case or kernel file is needed";
    if (problem) return tg_cli_usage(command, "%s", problem);
    r->path = argv[first];
    tg_run_watch_interrupts();
    if (!tg_cli_is_case(r->path)) return tg_cli_run_kernel(r);
    problem = check_case(r);
    return problem ? tg_cli_usage(command, "%s", problem) : tg_cli_run_case(r);
}
