/* Runs of kernels written as text: what is found, as KIND@LINE, and what the outputs are. */
#ifndef TG_TESTS_RUN_FINDINGS_H
#define TG_TESTS_RUN_FINDINGS_H

#include "run_text.h"

static inline char *findings_text(const tg_report *report)
{
    tg_text text = {0};
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        tg_text_add(&text, "%s%s@%d", i ? "; " : "", f.kind, (int)f.line);
    }
    return tg_text_finish(&text);
}

/* Runs the kernel in one order: the outputs, and what `text_of` says of the findings, are as wanted. */
static inline void expect_told(const tg_module *module, const named *list,
                               const tg_run_options *options, char *(*text_of)(const tg_report *),
                               const char *wanted)
{
    arrays all = make_arrays(module, list);
    tg_report *report = run_once(module, &all, options);
    char *found = text_of(report);
    if (strcmp(found, wanted) != 0) show_findings(report);
    cr_assert_str_eq(found, wanted, "%s: %s", options->order, found);
    compare_arrays(&all, options->order);
    free(found);
    tg_report_free(report);
    free_arrays(&all);
}

/* Runs the kernel with all checks in one order. */
static inline void expect_in(const tg_module *module, const named *list, const char *order,
                             const char *wanted)
{
    const tg_run_options options = {.size = sizeof options, .order = order, .checks = "all"};
    expect_told(module, list, &options, findings_text, wanted);
}

/* Runs the kernel with these checks in every order: the findings are the same. */
static inline void expect_checked(const char *kernel, const named *list, const char *checks,
                                  char *(*text_of)(const tg_report *), const char *wanted)
{
    tg_module *module = load_kernel(kernel);
    for (int o = 0; o < ORDERS; o++) {
        const tg_run_options options = {
            .size = sizeof options, .order = every_order[o], .checks = checks};
        expect_told(module, list, &options, text_of, wanted);
    }
    tg_module_free(module);
}

/* Runs the kernel with all checks in every order. */
static inline void expect_findings(const char *kernel, const named *list, const char *wanted)
{
    expect_checked(kernel, list, "all", findings_text, wanted);
}

#endif
