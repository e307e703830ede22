/* Runs a kernel on tensors that are found by the names of its parameters. */
#ifndef TG_CROSSCHECK_RUN_KERNEL_H
#define TG_CROSSCHECK_RUN_KERNEL_H

#include "crosscheck/backend.h"
#include "ir/tensor.h"

/* Runs a kernel.
 *   kernel   its name; NULL: the first of the module
 *   inputs   a tensor for each prefetch and input parameter, by name; borrowed and not written
 *   outputs  gets a new tensor for each output parameter, in their order; the caller frees it
 *   report   as tg_run
 * TG_ERR_USAGE where an input is missing, unknown or of another type (all of them are reported),
 * else what the backend returns, its errors appended to `diags`. */
tg_status tg_run_kernel(const tg_backend *backend, const tg_module *module, const char *kernel,
                        const tg_tensors *inputs, const tg_run_options *options,
                        tg_tensors *outputs, tg_report **report, tg_diags *diags);

/* Loads and verifies a module as tg_module_load_file does, its errors appended to `diags`. */
tg_status tg_load_kernel_file(const char *path, tg_module **out, tg_diags *diags);

#endif
