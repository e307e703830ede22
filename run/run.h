/* Runs whole grids, repeatedly. */
#ifndef TG_RUN_RUN_H
#define TG_RUN_RUN_H

#include "report/finding.h"
#include "checks/checks.h"
#include "checks/coverage.h"
#include "checks/memory_cost/sites.h"
#include "interp/elementwise/elementwise.h"
#include "interp/state/detector.h"
#include "interp/state/launch.h"
#include "interp/state/order.h"
#include "plan/plan.h"
#include "plan/trace.h"
#include "ir/setting.h"
#include "tilegrind/executor.h"

/* Settings that hold for every run of a runner. */
typedef struct tg_run_settings {
    const tg_plan *plan; /* must outlive the runner */
    const tg_elementwise *elementwise;
    tg_order order;
    unsigned traps; /* tg_trap bits */
    tg_setting setting;
    unsigned checks;    /* tg_check_bit bits */
    int64_t most_turns; /* limit on loop iterations, per program; 0: no limit */
    int64_t warps;      /* TG_CHECK_MEMORY_COST: of a program, if nothing says how many */
    /* Per param: as if the kernel declared it partly written.  Must outlive the runner; NULL:
     * none. */
    const bool *partly_written;
    /* Per param: which bytes are undefined, where that is known.  Must outlive the runner; NULL: nowhere. */
    const tg_definedness *undefined;
    /* Called now and then on the calling thread, also from within loops of a program.  A non-zero
     * result stops the run.  NULL: none. */
    int (*progress)(void *context, int64_t done, int64_t total);
    void (*print)(void *context, const char *text);
    void *context;
    /* Is notified of all accesses by programs.  Must outlive the runner; NULL: none. */
    const tg_observer *observer;
    const tg_added_detector *detector; /* must outlive the runner; NULL: none */
    /* Order sequential only: each run appends to it from its current position.  NULL: none. */
    tg_trace *trace;
    const tg_executor *executor; /* must outlive the runner; NULL: that of OpenMP */
} tg_run_settings;

typedef struct tg_run_result {
    int64_t programs;
    int threads;
    double seconds;
    /* Executed PTX instructions of all threads, if a device ran them and counts them; otherwise
     * 0. */
    int64_t instructions;
    /* With TG_CHECK_COVERAGE: per output; the caller frees it.  Otherwise NULL. */
    tg_covered *covered;
    size_t covered_count;
    tg_cost_site *costs; /* likewise, with TG_CHECK_MEMORY_COST: in the order of the kernel */
    size_t cost_count;
} tg_run_result;

/* A bound plan, with the memory that its runs work in.  The memory is kept from run to run, so a
 * small run allocates nothing.  Any number of threads may use a runner at once. */
typedef struct tg_runner tg_runner;

/* Returns TG_OK, TG_ERR_UNSUPPORTED with the op's source location, or TG_ERR_NO_MEMORY. */
tg_status tg_runner_new(const tg_run_settings *settings, tg_runner **out, tg_diags *diags);
void tg_runner_free(tg_runner *runner); /* there must be no run under way; NULL is allowed */

/* Runs all programs.
 *
 *    data          per param: dense memory of any alignment; inputs and prefetch are only read,
 *                  outputs are overwritten entirely; unused for scratch
 *    dynamic_grid  sizes of the dynamic axes, in order
 *
 * What is wrong with the kernel goes to `findings`, sorted.  The status only says whether the run
 * took place: TG_OK, TG_ERR_USAGE (a size of the grid is out of range), TG_ERR_STOPPED (by
 * `progress`; `findings` then has the findings so far), or TG_ERR_NO_MEMORY. */
tg_status tg_runner_run(tg_runner *runner, void *const *data, const int64_t *dynamic_grid,
                        tg_findings *findings, tg_run_result *result, tg_diags *diags);

/* The same on an executor of the caller; NULL: that of the settings. */
tg_status tg_runner_run_on(tg_runner *runner, const tg_executor *executor, void *const *data,
                           const int64_t *dynamic_grid, tg_findings *findings,
                           tg_run_result *result, tg_diags *diags);

#endif
