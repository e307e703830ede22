/* A run of a kernel file. */
#ifndef TG_CLI_RUN_KERNEL_H
#define TG_CLI_RUN_KERNEL_H

#include "cli/run_request.h"

/* Does what the request asks for, and says what came of it.  Returns the exit code. */
int tg_cli_run_kernel(const tg_run_request *request);

#endif
