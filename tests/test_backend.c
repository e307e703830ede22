/* Backends: which one a text names, and what each of them is asked for in vain. */
#include "api/backend.h"

#include "api/record.h"
#include "run_text.h"

static const char kernel_text[] =
    "grid 4\ninput x f32[4] block b1 at i\noutput o f32[4] block b1 at i\nbody\n"
    "%10:f32[1] = load %1 [0:1]; store %2 %10 [0:1]\n";

/* ---- names ---- */

Test(backend, is_found_by_the_text_of_the_option)
{
    static const struct {
        const char *text;
        const tg_backend *backend;
    } wants[] = {
        {NULL, &tg_backend_cpu},
        {"cpu", &tg_backend_cpu},
        {"emulator", &tg_backend_emulator},
        {"emulator:7", &tg_backend_emulator},
        {"gpu", &tg_backend_gpu},
        {"gpu:1", &tg_backend_gpu},
        {"", NULL},
        {"cpu:1", NULL},
        {"CPU", NULL},
        {"emulators", NULL},
        {"emulator:", NULL},
        {"emulator:x", NULL},
        {"gpu:-1", NULL},
        {"gpu:4294967296", NULL},
        {"tpu", NULL},
    };
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++)
        cr_expect_eq(tg_backend_find(wants[i].text), wants[i].backend, "\"%s\"",
                     wants[i].text ? wants[i].text : "(null)");
}

Test(backend, has_the_name_that_reports_tell)
{
    cr_expect_str_eq(tg_backend_cpu.name, "cpu");
    cr_expect_str_eq(tg_backend_emulator.name, "emulator");
    cr_expect_str_eq(tg_backend_gpu.name, "gpu");
}

/* ---- what a backend lacks ---- */

typedef struct refused {
    tg_run_options options;
    tg_status status;
    const char *message;
} refused;

static void expect_refused(const tg_module *module, const refused *r)
{
    tg_run_options options = r->options;
    tg_executable *executable;
    tg_errors *errors = tg_errors_new();
    options.size = sizeof options;
    cr_expect_eq(tg_executable_new(module, NULL, &options, &executable, errors), r->status, "%s",
                 r->message);
    cr_expect_null(executable);
    cr_assert_eq(tg_errors_count(errors), 1);
    cr_expect_str_eq(tg_errors_get(errors, 0).message, r->message);
    tg_errors_free(errors);
}

Test(backend, what_ptx_lacks_is_refused_with_the_option_that_asks_for_it)
{
    static const refused all[] = {
        {{.backend = "emulator", .compat = "jax"},
         TG_ERR_UNSUPPORTED,
         "backend emulator does not support compat jax"},
        {{.backend = "emulator", .compat = "tpu:zero"},
         TG_ERR_UNSUPPORTED,
         "backend emulator does not support compat jax"},
        {{.backend = "emulator:3", .checks = "races,undefined"},
         TG_ERR_USAGE,
         "backend emulator:3 makes no checks: those of \"races,undefined\" are the interpreter's"},
        {{.backend = "emulator", .target = "tpu"},
         TG_ERR_USAGE,
         "backend emulator knows no target \"tpu\": it is the interpreter's"},
        {{.backend = "emulator", .trap = "nan"},
         TG_ERR_USAGE,
         "backend emulator traps nothing: \"nan\" is the interpreter's"},
        {{.backend = "emulator", .max_steps = 5},
         TG_ERR_USAGE,
         "backend emulator counts no turns of loops: max_steps is the interpreter's"},
        {{.backend = "emulator", .order = "shuffled:1"},
         TG_ERR_USAGE,
         "backend emulator knows the orders sequential and parallel[:CTAS], not shuffled:1"},
        {{.backend = "gpu", .order = "reversed"}, /* before any GPU is looked for */
         TG_ERR_USAGE,
         "backend gpu knows the orders sequential and parallel[:CTAS], not reversed"},
        {{.backend = "vax"},
         TG_ERR_USAGE,
         "backend \"vax\" is none of cpu, emulator[:SEED], gpu[:NUMBER]"},
    };
    tg_module *module = load_kernel(kernel_text);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) expect_refused(module, &all[i]);
    tg_module_free(module);
}

static void expect_runs(const tg_module *module, tg_run_options options)
{
    static const float x[] = {1, 2, 3, 4};
    arrays all = make_arrays(module, NAMED({"x", x}, {"o", x}));
    tg_report *report = run_once(module, &all, &options);
    compare_arrays(&all, options.backend);
    tg_report_free(report);
    free_arrays(&all);
}

Test(backend, what_asks_for_nothing_runs_everywhere)
{
    static const char *const names[] = {"cpu", "emulator"};
    tg_module *module = load_kernel(kernel_text);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const tg_run_options said = {.size = sizeof said,
                                     .backend = names[i],
                                     .compat = "strict",
                                     .checks = "none",
                                     .target = "any",
                                     .trap = "none",
                                     .order = "parallel:2"};
        expect_runs(module, said);
        expect_runs(module, (tg_run_options){.size = sizeof said, .backend = names[i]});
    }
    tg_module_free(module);
}

Test(backend, the_interpreter_lacks_nothing)
{
    const tg_run_options all = {.size = sizeof all,
                                .compat = "jax",
                                .checks = "all",
                                .target = "tpu",
                                .trap = "nan",
                                .max_steps = 100,
                                .order = "interleaved:1"};
    tg_module *module = load_kernel(kernel_text);
    expect_runs(module, all);
    tg_module_free(module);
}

/* ---- checks and recordings ---- */

Test(backend, checks_are_the_interpreters)
{
    const tg_run_options options = {.size = sizeof options, .backend = "emulator"};
    static const float x[4] = {0};
    tg_module *module = load_kernel(kernel_text);
    arrays all = make_arrays(module, NAMED({"x", x}));
    tg_executable *executable;
    tg_report *report;
    tg_errors *errors = tg_errors_new();
    cr_assert_eq(tg_check(module, NULL, all.list, all.count, &options, NULL, &report, errors),
                 TG_ERR_USAGE);
    cr_assert_eq(tg_executable_new(module, NULL, &options, &executable, errors), TG_OK);
    cr_assert_eq(tg_executable_check(executable, NULL, NULL, 0, NULL, &report, errors),
                 TG_ERR_USAGE);
    cr_assert_eq(tg_errors_count(errors), 2);
    cr_expect_str_eq(tg_errors_get(errors, 0).message,
                     "a check is made by the interpreter, not by backend emulator");
    cr_expect_str_eq(tg_errors_get(errors, 1).message,
                     "a check is made by the interpreter, by no other backend");
    tg_executable_free(executable);
    tg_errors_free(errors);
    free_arrays(&all);
    tg_module_free(module);
}

Test(backend, recordings_are_the_interpreters)
{
    static const tg_record_limits limits = {.size = sizeof limits, .accesses = 10, .values = 10};
    tg_run_options options = {.size = sizeof options};
    static const float x[4] = {0};
    tg_module *module = load_kernel(kernel_text);
    arrays all = make_arrays(module, NAMED({"x", x}));
    tg_report *report = run_once(module, &all, &options);
    tg_recording *recording;
    tg_errors *errors = tg_errors_new();
    options.backend = "emulator";
    cr_assert_eq(
        tg_record(module, NULL, all.list, all.count, &options, report, &limits, &recording, errors),
        TG_ERR_USAGE);
    cr_assert_eq(tg_errors_count(errors), 1);
    cr_expect_str_eq(
        tg_errors_get(errors, 0).message,
        "backend emulator does not report accesses to observers: only the interpreter does");
    tg_errors_free(errors);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}
