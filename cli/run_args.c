#include "cli/run_args.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/run_watch.h"

const char *tg_cli_take_input(tg_run_request *r, const char *value)
{
    if (r->input_count == TG_CLI_MAX_INPUTS) return "too many --in";
    r->inputs[r->input_count++] = value;
    return NULL;
}

/* Reads "4,8". */
const char *tg_cli_take_grid(tg_run_request *r, const char *text)
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
        problem = take(r, id, value);
    }
    if (!problem && argc - first != 1) problem = "exactly one case or kernel file is needed";
    if (problem) return tg_cli_usage(command, "%s", problem);
    r->path = argv[first];
    tg_run_watch_interrupts();
    if (!tg_cli_is_case(r->path)) return tg_cli_run_kernel(r);
    problem = check_case(r);
    return problem ? tg_cli_usage(command, "%s", problem) : tg_cli_run_case(r);
}
