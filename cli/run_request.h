/* What a command line of `tilegrind run` or `tilegrind check` asks for. */
#ifndef TG_CLI_RUN_REQUEST_H
#define TG_CLI_RUN_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilegrind/tilegrind.h"

enum {
    TG_CLI_MAX_INPUTS = 256,
    TG_CLI_MAX_AXES = 16,
    TG_CLI_MAX_SUPPRESSIONS = 64,
    TG_CLI_MAX_SHARDINGS = 256
};

/* An argument of --sharding. */
typedef struct tg_cli_sharding {
    char param[256];
    const char *argument, *text; /* all of it, and what comes behind '=' */
    int64_t shape[8];
    size_t rank; /* 0: without a shape */
} tg_cli_sharding;

typedef struct tg_run_request {
    const char *path;                      /* of a case or a kernel file */
    const char *inputs[TG_CLI_MAX_INPUTS]; /* arguments of --in */
    size_t input_count;
    const char *out, *html, *trace, *order, *compat, *isa, *profile, *backend, *kernel, *checks,
        *target, *trap, *partly_written, *layouts, *tensor_core,
        *grid_text; /* NULL where not given */
    int64_t grid[TG_CLI_MAX_AXES];
    size_t grid_count;
    int64_t max_steps;                                 /* 0: no limit */
    const char *max_steps_text;                        /* NULL where not given */
    int warps;                                         /* 0 where not given */
    const char *warps_text;                            /* NULL where not given */
    const char *suppressions[TG_CLI_MAX_SUPPRESSIONS]; /* files */
    size_t suppression_count;
    const char *gen_suppressions, *sarif; /* files to write; NULL where not given */
    const char *fail_on;                  /* a level or "never"; NULL where not given */
    const char *mesh, *device_order;      /* NULL where not given */
    tg_cli_sharding shardings[TG_CLI_MAX_SHARDINGS];
    size_t sharding_count;
    bool as_json;
    bool is_check;           /* tg_check, not tg_run */
    tg_check_options orders; /* is_check: what it tries */
} tg_run_request;

#endif
