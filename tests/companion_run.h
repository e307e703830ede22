/* Runs of companion kernels: what a result is in exact arithmetic, and how far one that keeps a contract may be from it. */
#ifndef TG_TESTS_COMPANION_RUN_H
#define TG_TESTS_COMPANION_RUN_H

#include "run_text.h"
#include "tilegrind/arrays.h"
#include "tilegrind/bounds.h"

static inline const void *data_of(const tg_arrays *all, const char *name)
{
    return tg_arrays_get(all, tg_arrays_find(all, name)).tensor.data;
}

/* Runs the companion of the kernel `text` under a contract.  `outputs` is given "o", "o exact", "o bound" and so on.  Returns how
 * many findings there are. */
static inline size_t run_companion(const char *contract, const char *text, const tg_arrays *inputs,
                                   tg_arrays *outputs)
{
    tg_module *module = load_kernel(text), *companion;
    tg_errors *errors = tg_errors_new();
    const tg_status status =
        tg_module_companion(module, NULL, contract, TG_BOUNDS_CERTAIN, &companion, errors);
    cr_assert_eq(status, TG_OK, "%s: %s", text, status ? tg_errors_get(errors, 0).message : "");
    tg_report *report;
    cr_assert_eq(tg_arrays_run(companion, NULL, inputs, NULL, NULL, outputs, &report, errors),
                 TG_OK, "%s", tg_errors_count(errors) ? tg_errors_get(errors, 0).message : "");
    const size_t findings = tg_report_finding_count(report);
    tg_report_free(report);
    tg_module_free(companion);
    tg_module_free(module);
    tg_errors_free(errors);
    return findings;
}

#endif
