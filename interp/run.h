/* Running a whole grid. */
#ifndef TG_INTERP_RUN_H
#define TG_INTERP_RUN_H

#include "interp/finding.h"
#include "interp/lanes/lanes.h"
#include "interp/order.h"
#include "ir/plan.h"

typedef struct tg_run_request {
    const tg_plan *plan;
    const tg_lanes *lanes;
    tg_order order;
    bool is_jax;                 /* clamp and fill as JAX's interpreter does */
    const int64_t *dynamic_grid; /* sizes of the dynamic axes, in order */
    void **
        data; /* per param: dense memory; inputs and prefetch are only read, outputs overwritten entirely;
                    unused for scratch */
    int (*progress)(void *context, int64_t done,
                    int64_t total); /* NULL: none; non-zero stops the run */
    void (*print)(void *context, const char *text);
    void *context;
} tg_run_request;

typedef struct tg_run_result {
    int64_t programs;
    int threads;
    double seconds;
} tg_run_result;

/* Runs all programs.  What is wrong with the kernel goes to `findings`, sorted; the status tells only
 * whether the run could be made: TG_OK, TG_ERR_USAGE (a negative dynamic size; stopped by `progress`),
 * TG_ERR_UNSUPPORTED, TG_ERR_NO_MEMORY. */
tg_status tg_run_grid(const tg_run_request *request, tg_findings *findings, tg_run_result *result,
                      tg_diags *diags);

#endif
