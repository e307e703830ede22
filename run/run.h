/* Running a whole grid, again and again. */
#ifndef TG_RUN_RUN_H
#define TG_RUN_RUN_H

#include "report/finding.h"
#include "checks/checks.h"
#include "checks/coverage.h"
#include "interp/elementwise/elementwise.h"
#include "interp/state/observer.h"
#include "interp/state/order.h"
#include "plan/plan.h"
#include "plan/trace.h"
#include "ir/setting.h"
#include "tilegrind/executor.h"

/* What holds for every run of a runner. */
typedef struct tg_run_settings {
    const tg_plan *plan; /* outlives the runner */
    const tg_elementwise *elementwise;
    tg_order order;
    unsigned traps; /* tg_trap bits */
    tg_setting setting;
    unsigned checks;    /* tg_check_bit bits */
    int64_t most_turns; /* of loops, of each program; 0: as many as it likes */
    const bool
        *partly_written; /* per param: as if the kernel said so; outlives the runner; NULL: none */
    /* Called now and then on the thread that called, also from within loops of a program; NULL:
     * none; non-zero stops the run. */
    int (*progress)(void *context, int64_t done, int64_t total);
    void (*print)(void *context, const char *text);
    void *context;
    const tg_observer
        *observer; /* wants to know what programs touch, outlives the runner; NULL: none */
    tg_trace
        *trace; /* order sequential only: each run writes it, from where it stands on; NULL: none */
    const tg_executor *executor; /* outlives the runner; NULL: that of OpenMP */
} tg_run_settings;

typedef struct tg_run_result {
    int64_t programs;
    int threads;
    double seconds;
    int64_t instructions; /* of PTX, where a device ran them and counts, of all threads; else 0 */
    tg_covered *covered;  /* with TG_CHECK_COVERAGE: per output, the caller's to free; else NULL */
    size_t covered_count;
} tg_run_result;

/* A bound plan, with the memory that its runs work in: kept from run to run, so that a small run
 * allocates nothing.  Any number of threads may run it at once. */
typedef struct tg_runner tg_runner;

/* TG_OK, TG_ERR_UNSUPPORTED with the op's place, TG_ERR_NO_MEMORY. */
tg_status tg_runner_new(const tg_run_settings *settings, tg_runner **out, tg_diags *diags);
void tg_runner_free(tg_runner *runner); /* no run is under way; NULL is fine */

/* Runs all programs.
 *   data          per param: dense memory of any alignment; inputs and prefetch are only read,
 *                 outputs overwritten entirely; unused for scratch
 *   dynamic_grid  sizes of the dynamic axes, in order
 * What is wrong with the kernel goes to `findings`, sorted; the status tells only whether the run
 * could be made: TG_OK, TG_ERR_USAGE (a size of the grid out of range), TG_ERR_STOPPED (by
 * `progress`: then `findings` has what was found so far), TG_ERR_NO_MEMORY. */
tg_status tg_runner_run(tg_runner *runner, void *const *data, const int64_t *dynamic_grid,
                        tg_findings *findings, tg_run_result *result, tg_diags *diags);

/* The same on an executor of the caller's; NULL: that of the settings. */
tg_status tg_runner_run_on(tg_runner *runner, const tg_executor *executor, void *const *data,
                           const int64_t *dynamic_grid, tg_findings *findings,
                           tg_run_result *result, tg_diags *diags);

#endif
