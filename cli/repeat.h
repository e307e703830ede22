/* The command that repeats a run. */
#ifndef TG_CLI_REPEAT_H
#define TG_CLI_REPEAT_H

#include "cli/run_request.h"

/* The command that repeats a run of the request which went in `order`; options that do not fit are
 * left out. */
enum { TG_CLI_REPEAT = 4096 };
void tg_cli_repeat(const tg_run_request *request, const char *order, char out[TG_CLI_REPEAT]);

#endif
