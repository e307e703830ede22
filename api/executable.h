/* Kernels that are lowered once and run often. */
#ifndef TG_API_EXECUTABLE_H
#define TG_API_EXECUTABLE_H

#include "run/run.h"
#include "ir/ir.h"
#include "tilegrind/tilegrind.h"

/* TG_ERR_USAGE, as there is no kernel of that name. */
tg_status tg_api_no_kernel(const char *name, tg_diags *diags);

/* As the functions of the public interface, with what has been looked up; tg_api_settings: what its runs on the interpreter
 * take. */
tg_status tg_api_executable_new(const tg_module *module, const tg_kernel *kernel,
                                const tg_run_options *options, tg_executable **out,
                                tg_diags *diags);
tg_status tg_api_executable_run(tg_executable *exe, const tg_executor *executor, void *const *data,
                                const int64_t *grid, size_t grid_count, tg_report **out,
                                tg_diags *diags);
const tg_run_settings *tg_api_settings(const tg_executable *exe);

/* Whether another backend than the interpreter runs it. */
bool tg_api_is_remote(const tg_executable *exe);

#endif
