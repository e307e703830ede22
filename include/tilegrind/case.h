/* Cases: folders whose case.json names a kernel, its inputs, and what should come out
 * (docs/case.md).
 *
 *   tg_case *c;
 *   tg_case_run *run;
 *   if (tg_case_open("cases/add", &c, errors) == TG_OK &&
 *       tg_case_run_new(c, NULL, NULL, &run, errors) == TG_OK)
 *       ... tg_case_run_verdict(run).passed ... */
#ifndef TILEGRIND_CASE_H
#define TILEGRIND_CASE_H

#include "tilegrind/arrays.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tg_case tg_case; /* never changed after it is open: threads may share it */

/* Reads folder/case.json, its kernel and all arrays, and verifies the kernel.  TG_ERR_IO, _SYNTAX,
 * _TYPE, _INVALID, _UNSUPPORTED or _NO_MEMORY with what was found in `errors`; then *out is NULL.
 */
TG_API tg_status tg_case_open(const char *folder, tg_case **out, tg_errors *errors);
TG_API void tg_case_close(tg_case *c); /* NULL is fine */

typedef struct tg_case_info {
    const char *name; /* NULL where the case has none */
    const char *why;  /* what it is there for; likewise */
    const char *kernel;
    size_t order_count;   /* orders that it names; 0: it leaves them to whoever runs it */
    size_t finding_count; /* findings that it expects */
    int is_exact;         /* whether its outputs must have the very bits that it expects */
    size_t input_count;
    size_t grid_count;   /* dynamic axes of the kernel's grid */
    const int64_t *grid; /* their sizes, the first axis first */
} tg_case_info;

/* The texts live as long as the case. */
TG_API tg_case_info tg_case_describe(const tg_case *c);

/* Its module, which lives as long as the case; and an order as it names it; index < order_count. */
TG_API const tg_module *tg_case_module(const tg_case *c);
TG_API const char *tg_case_order(const tg_case *c, size_t index);

/* What the case gives a prefetch or input parameter, in the order of the kernel's; index <
 * input_count.  Only to be read; lives as long as the case. */
TG_API tg_array tg_case_input(const tg_case *c, size_t index);

/* Whether the case expects a finding of a report; finding < count. */
TG_API int tg_case_expects(const tg_case *c, const tg_report *report, size_t finding);

/* ---- runs ---- */

typedef struct tg_case_run tg_case_run;

/* Runs the case once and holds the result against what it expects.
 *   options  as for tg_run; where compat, profile or target are NULL they are those of the case,
 *            and the dynamic grid always is. NULL: sequential
 *   hook     what runs the kernel; NULL: tg_run
 *   out      free with tg_case_run_free, before the case
 * A run that does not pass is no error.  Returns what the hook returns, or TG_ERR_NO_MEMORY; *out
 * is NULL then, but for TG_ERR_STOPPED where there is a report: there is a run with that, too. */
TG_API tg_status tg_case_run_new(const tg_case *c, const tg_run_options *options,
                                 const tg_run_hook *hook, tg_case_run **out, tg_errors *errors);
TG_API void tg_case_run_free(tg_case_run *run); /* NULL is fine */

/* The report and the outputs, which live as long as the run. */
TG_API const tg_report *tg_case_run_report(const tg_case_run *run);
TG_API const tg_arrays *tg_case_run_outputs(const tg_case_run *run);

typedef struct tg_case_verdict {
    int passed;        /* outputs within tolerance, findings as expected */
    size_t unexpected; /* findings that the case does not expect */
    size_t absent;     /* findings that it expects, that were looked for, and not made */
} tg_case_verdict;

/* Of a run that was stopped nothing has passed. */
TG_API tg_case_verdict tg_case_run_verdict(const tg_case_run *run);

/* An output and what was expected of it. */
typedef struct tg_case_output {
    tg_array got;
    int is_expected;          /* whether the case expects anything of it; else the rest is zeroed */
    tg_array want;            /* named as `got` */
    tg_comparison comparison; /* within the tolerance of the case */
} tg_case_output;

/* index < tg_arrays_count(tg_case_run_outputs(run)); not of a run that was stopped. */
TG_API tg_case_output tg_case_run_output(const tg_case_run *run, size_t index);

/* Name of the first output whose bits differ between two runs of one case, or NULL. */
TG_API const char *tg_case_run_difference(const tg_case_run *a, const tg_case_run *b);

#ifdef __cplusplus
}
#endif

#endif
