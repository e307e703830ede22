/* What watches a run for the user: progress, prints, Ctrl-C. */
#ifndef TG_CLI_RUN_WATCH_H
#define TG_CLI_RUN_WATCH_H

#include <stdio.h>

#include "cli/progress.h"
#include "cli/run_request.h"
#include "tilegrind/arrays.h"

/* What a run calls back with. */
typedef struct tg_run_watch {
    tg_progress progress;
    FILE *print_to; /* where debug_print goes */
} tg_run_watch;

/* Options of a run that shows progress and prints by way of `watch`, which outlives it. */
tg_run_options tg_run_options_of(const tg_run_request *request, tg_run_watch *watch);

/* What runs the kernel, by tg_run or tg_check, and records it for the page.  For one request a
 * process. */
tg_run_hook tg_cli_run_hook(const tg_run_request *request);

/* From here on Ctrl-C stops the runs that are watched; a second one ends the process at once. */
void tg_run_watch_interrupts(void);
int tg_run_is_interrupted(void);

#endif
