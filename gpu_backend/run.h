/* Running a whole grid on a device. */
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
    /* 1: one CTA goes through all chains of programs in order; 0: as many as the device runs at
     * once. */
    uint32_t most_ctas;
    int (*progress)(void *context, int64_t done, int64_t total);
    /* The text of each debug_print, after the run, in the order of `sequential`; NULL: none is
     * made. */
    void (*print)(void *context, const char *text);
    void *context;
    /* Each run by one CTA writes its window, whatever `at` says; NULL: none.  `ptx.trace` are its
     * sites. */
    tg_trace *trace;
} tg_gpu_settings;

/* A kernel that has been made ready on a device.  One run at a time. */
typedef struct tg_gpu_runner tg_gpu_runner;

/* TG_OK, TG_ERR_UNSUPPORTED with the op's place, TG_ERR_NO_MEMORY, or what the device says of the
 * text. */
tg_status tg_gpu_runner_new(const tg_gpu_settings *settings, tg_gpu_runner **out, tg_diags *diags);
void tg_gpu_runner_free(tg_gpu_runner *runner); /* NULL is fine */

/* The text that is run. */
const tg_ptx *tg_gpu_runner_ptx(const tg_gpu_runner *runner);

/* Runs all programs; `data` and `dynamic_grid` as tg_runner_run takes them, and so are `findings`,
 * but for those of outputs that nobody wrote, which a device does not see. */
tg_status tg_gpu_runner_run(tg_gpu_runner *runner, void *const *data, const int64_t *dynamic_grid,
                            tg_findings *findings, tg_diags *diags);

#endif
