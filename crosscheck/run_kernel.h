/* Runs a kernel on tensors that are found by the names of its parameters. */
#ifndef TG_CROSSCHECK_RUN_KERNEL_H
#define TG_CROSSCHECK_RUN_KERNEL_H

#include "tilegrind/tilegrind.h"
#include "ir/tensor.h"

/* tg_run, or what stands in for it: a check, or a run that is recorded as well. */
typedef tg_status tg_run_function(const tg_module *module, const char *kernel,
                                  const tg_array *arrays, size_t array_count,
                                  const tg_run_options *options, tg_report **report,
                                  tg_errors *errors);

/* Runs a kernel.
 *   run      tg_run where nothing else is wanted
 *   kernel   its name; NULL: the first of the module
 *   inputs   a tensor for each prefetch and input parameter, by name; borrowed and not written
 *   outputs  gets a new tensor for each output parameter, in their order; the caller frees it
 *   report   as tg_run
 * TG_ERR_USAGE where an input is missing, unknown or of another type (all of them are reported), else
 * what `run` returns, its errors appended to `diags`. */
tg_status tg_run_kernel(tg_run_function *run, const tg_module *module, const char *kernel,
                        const tg_tensors *inputs, const tg_run_options *options,
                        tg_tensors *outputs, tg_report **report, tg_diags *diags);

/* Loads and verifies a module as tg_module_load_file does, its errors appended to `diags`. */
tg_status tg_load_kernel_file(const char *path, tg_module **out, tg_diags *diags);

#endif
