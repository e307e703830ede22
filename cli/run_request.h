/* What a command line of `tilegrind run` asks for, and what its two halves share. */
#ifndef TG_CLI_RUN_REQUEST_H
#define TG_CLI_RUN_REQUEST_H

#include "cli/json_out.h"
#include "cli/progress.h"
#include "ir/tensor.h"
#include "tilegrind/tilegrind.h"

enum { TG_CLI_MAX_INPUTS = 256, TG_CLI_MAX_AXES = 16 };

typedef struct tg_run_request {
    const char *path;                      /* of a case or a kernel file */
    const char *inputs[TG_CLI_MAX_INPUTS]; /* arguments of --in */
    size_t input_count;
    const char *out, *order, *compat, *isa, *profile, *kernel,
        *grid_text; /* NULL where not given */
    int64_t grid[TG_CLI_MAX_AXES];
    size_t grid_count;
    bool as_json;
} tg_run_request;

/* What a run calls back with. */
typedef struct tg_run_watch {
    tg_progress progress;
    FILE *print_to; /* where debug_print goes */
} tg_run_watch;

/* Options of a run that shows progress and prints by way of `watch`, which outlives it. */
tg_run_options tg_run_options_of(const tg_run_request *request, tg_run_watch *watch);

/* Both return the exit code. */
int tg_cli_run_kernel(const tg_run_request *request);
int tg_cli_run_case(const tg_run_request *request);

#endif
