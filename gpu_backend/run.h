/* Runs a whole grid on a device. */
#ifndef TG_GPU_BACKEND_RUN_H
#define TG_GPU_BACKEND_RUN_H

#include <stdint.h>

#include "base/diag.h"
#include "gpu_backend/device/device.h"
#include "gpu_backend/text/ptx.h"
#include "plan/plan.h"
#include "plan/trace.h"
#include "report/finding.h"

typedef struct tg_gpu_settings {
    const tg_plan *plan; /* outlives the runner */
    tg_device *device;   /* likewise */
    tg_ptx_options ptx;
    /* 1: one CTA runs all chains in order.  0: as many CTAs as the device can run at once. */
    uint32_t most_ctas;
    int (*progress)(void *context, int64_t done, int64_t total);
    /* Gets the text of each debug_print after the run, in the order of `sequential`.  NULL:
     * debug_prints make no text. */
    void (*print)(void *context, const char *text);
    void *context;
    /* Each run by one CTA (most_ctas 1) writes the window of this log, whatever `at` says.
     * `ptx.trace` has its sites.  NULL: no log. */
    tg_trace *trace;
} tg_gpu_settings;

/* A kernel ready to run on a device.  It serves one run at a time. */
typedef struct tg_gpu_runner tg_gpu_runner;

/* Returns TG_OK, TG_ERR_UNSUPPORTED with the op's source location, TG_ERR_NO_MEMORY, or the status
 * with which the device rejects the text. */
tg_status tg_gpu_runner_new(const tg_gpu_settings *settings, tg_gpu_runner **out, tg_diags *diags);
void tg_gpu_runner_free(tg_gpu_runner *runner); /* NULL is fine */

/* The PTX text that the runner launches; it belongs to the runner. */
const tg_ptx *tg_gpu_runner_ptx(const tg_gpu_runner *runner);

/* Runs all programs.  `data`, `dynamic_grid` and `findings` are as for tg_runner_run, except that a
 * device does not find outputs that nobody wrote. */
tg_status tg_gpu_runner_run(tg_gpu_runner *runner, void *const *data, const int64_t *dynamic_grid,
                            tg_findings *findings, tg_diags *diags);

#endif
