/* A run of a case. */
#ifndef TG_CLI_RUN_CASE_H
#define TG_CLI_RUN_CASE_H

#include "cli/run_request.h"

/* Does what the request asks for, and says what came of it.  Returns the exit code. */
int tg_cli_run_case(const tg_run_request *request);

#endif
