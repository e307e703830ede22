/* Kernels in the notation of kernel_text.h, run as PTX in the emulator, in several orders of warps. */
#ifndef TESTS_RUN_SEEDS_H
#define TESTS_RUN_SEEDS_H

#include "run_text.h"

static inline tg_status run_seed(const tg_module *module, arrays *all, int seed, char *message,
                                 size_t size)
{
    char backend[32];
    tg_errors *errors = tg_errors_new();
    tg_report *report = NULL;
    snprintf(backend, sizeof backend, seed ? "emulator:%d" : "emulator", seed);
    const tg_run_options options = {.size = sizeof options, .backend = backend};
    const tg_status status = tg_run(module, NULL, all->list, all->count, &options, &report, errors);
    message[0] = '\0';
    if (tg_errors_count(errors)) snprintf(message, size, "%s", tg_errors_get(errors, 0).message);
    if (status == TG_OK && tg_report_finding_count(report))
        snprintf(message, size, "%s", tg_report_finding(report, 0).kind);
    tg_errors_free(errors);
    tg_report_free(report);
    return status;
}

enum { SEEDS = 4 };

/* In several orders of warps, and in the interpreter. */
static inline void check_equal(const char *kernel, const named *list)
{
    tg_module *module = load_kernel(kernel);
    const tg_run_options usual = {.size = sizeof usual, .order = "interleaved:3", .checks = "all"};
    arrays all = make_arrays(module, list);
    tg_report *report = run_once(module, &all, &usual);
    if (tg_report_finding_count(report)) show_findings(report);
    cr_assert_eq(tg_report_finding_count(report), 0);
    compare_arrays(&all, "interpreter");
    tg_report_free(report);
    free_arrays(&all);
    for (int seed = 0; seed < SEEDS; seed++) {
        char message[512];
        all = make_arrays(module, list);
        const tg_status status = run_seed(module, &all, seed, message, sizeof message);
        cr_assert(status == TG_OK && !message[0], "seed %d: %s\n%s", seed, message, kernel);
        compare_arrays(&all, "emulator");
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* In every order of warps it ends with the status and a message that has the text. */
static inline void check_fails(const char *kernel, const named *list, tg_status wanted,
                               const char *text)
{
    tg_module *module = load_kernel(kernel);
    for (int seed = 0; seed < SEEDS; seed++) {
        char message[512];
        arrays all = make_arrays(module, list);
        const tg_status status = run_seed(module, &all, seed, message, sizeof message);
        cr_expect_eq(status, wanted, "seed %d: %s: %s\n%s", seed, tg_status_name(status), message,
                     kernel);
        cr_expect_not_null(strstr(message, text), "seed %d: %s", seed, message);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* How often the text of the kernel has that. */
static inline int count_in_text(const char *kernel, const char *what)
{
    tg_module *module = load_kernel(kernel);
    const tg_module_ptx_options sm_90 = {.size = sizeof sm_90, .target = "sm_90"};
    char *text = tg_module_ptx(module, NULL, &sm_90, NULL);
    int count = 0;
    cr_assert_not_null(text);
    for (const char *at = text; (at = strstr(at, what)); at++) count++;
    free(text);
    tg_module_free(module);
    return count;
}

#endif
