/* Runs a case and holds the result against what the case expects. */
#ifndef TG_CROSSCHECK_RUN_CASE_H
#define TG_CROSSCHECK_RUN_CASE_H

#include "crosscheck/run_kernel.h"
#include "report/compare.h"
#include "loaders/case.h"

/* An output of a run and what was expected of it. */
typedef struct tg_output_check {
    const char *name;
    const tg_tensor *got;
    const tg_tensor *want;    /* NULL where the case expects nothing of it */
    tg_comparison comparison; /* zeroed where `want` is NULL */
} tg_output_check;

typedef struct tg_case_run {
    tg_report *report;
    tg_tensors outputs;
    tg_output_check *checks; /* one for each output */
    size_t check_count;
    size_t unexpected; /* findings that the case does not expect */
    size_t absent;     /* findings that it expects and that were not made */
    bool passed;       /* outputs within tolerance, findings as expected */
} tg_case_run;

/* Loads a case, verifies its kernel and fills inputs that it leaves undefined.  As tg_case_load,
 * and what tg_module_verify returns. */
tg_status tg_case_open(const char *folder, tg_case **out, tg_diags *diags);

/* Runs the case once.
 *   options  order, instruction set, callbacks; where `compat` or `profile` is NULL it is the
 *            case's, and the dynamic grid is always the case's.  NULL: sequential
 *   out      free with tg_case_run_free, also after a failure
 * A run that does not pass is no error.  Returns what `run` returns, or TG_ERR_NO_MEMORY. */
tg_status tg_case_run_once(tg_run_function *run, const tg_case *c, const tg_run_options *options,
                           tg_case_run *out, tg_diags *diags);
void tg_case_run_free(tg_case_run *run);

/* Whether the case expects this finding. */
bool tg_case_expects(const tg_case *c, const tg_finding *finding);

/* Name of the first output whose bits differ between two runs of one case, or NULL. */
const char *tg_case_first_difference(const tg_case_run *a, const tg_case_run *b);

#endif
