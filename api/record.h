/* A run made once more, with a log of what its programs touched. */
#ifndef TG_API_RECORD_H
#define TG_API_RECORD_H

#include "api/api_impl.h"
#include "checks/history.h"
#include "plan/grid.h"

typedef struct tg_recording {
    const tg_module *module;
    const tg_kernel *kernel;
    tg_grid grid;
    tg_executable *exe; /* has the plan that the log speaks of */
    tg_history *history;
    void **
        data; /* per param: inputs are the caller's; outputs as the run has left them; of scratch NULL */
} tg_recording;

/* Runs the kernel as tg_run would, on outputs of its own, without checks and prints.
 *   arrays, options  as for tg_run; the interpreter alone
 *   report           of the run that this one repeats: what its findings speak of has room of its own in the log
 *   out              free with tg_recording_free before `module` and the arrays
 * Returns what tg_run returns. */
tg_status tg_record(const tg_module *module, const char *kernel, const tg_array *arrays,
                    size_t array_count, const tg_run_options *options, const tg_report *report,
                    const tg_history_limits *limits, tg_recording **out, tg_errors *errors);
void tg_recording_free(tg_recording *recording); /* NULL is fine */

#endif
