/* Inputs of a kernel from the arguments of --in. */
#ifndef TG_CLI_INPUTS_H
#define TG_CLI_INPUTS_H

#include "cli/run_request.h"
#include "base/diag.h"
#include "tilegrind/arrays.h"

/* Reads the files and adds what the kernel takes to `inputs`; arrays of an archive that the kernel
 * does not take are left out.  What is missing is for tg_arrays_run to say. */
tg_status tg_cli_read_inputs(const tg_run_request *request, const tg_module *module,
                             tg_arrays *inputs, tg_diags *diags);

#endif
