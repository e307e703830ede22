/* Runs of kernels on arrays that the library keeps. */
#include <criterion/criterion.h>

#include "run_text.h"
#include "two_arrays.h"

static const char twice[] = "grid 1\n"
                            "input x f32[2,3]\n"
                            "input n i4[2]\n"
                            "output o f32[2,3]\n"
                            "body\n"
                            "%10:f32[2,3] = load %1 [0:2,0:3]; %11:f32[2,3] = add %10 %10; "
                            "store %3 %11 [0:2,0:3]\n";

Test(api_array_runs, a_run_by_names)
{
    tg_report *report;
    tg_module *module = load_kernel(twice);
    tg_arrays *inputs = make_two(), *outputs = tg_arrays_new();
    cr_assert_eq(tg_arrays_run(module, NULL, inputs, NULL, NULL, outputs, &report, NULL), TG_OK);
    cr_assert_eq(tg_arrays_count(outputs), 1);
    cr_assert_str_eq(tg_arrays_get(outputs, 0).name, "o");
    cr_assert_eq(element_of(outputs, 0, 5), 10);
    cr_assert_eq(tg_report_finding_count(report), 0);
    tg_report_free(report);
    tg_arrays_free(inputs);
    tg_arrays_free(outputs);
    tg_module_free(module);
}

Test(api_array_runs, runs_that_cannot_be)
{
    tg_report *report = (tg_report *)1;
    tg_errors *errors = tg_errors_new();
    tg_module *module = load_kernel(twice);
    tg_arrays *inputs = make_two(), *outputs = tg_arrays_new(), *wrong = tg_arrays_new();
    check_error(&errors,
                tg_arrays_run(module, "other", inputs, NULL, NULL, outputs, &report, errors),
                TG_ERR_USAGE, "the module has no kernel \"other\"");
    cr_assert_null(report);
    cr_assert_eq(tg_arrays_add_zeros(wrong, "x", "f32[3]", NULL), TG_OK);
    cr_assert_eq(tg_arrays_add_zeros(wrong, "m", "f32[3]", NULL), TG_OK);
    cr_assert_eq(tg_arrays_run(module, NULL, wrong, NULL, NULL, outputs, &report, errors),
                 TG_ERR_USAGE);
    cr_assert_eq(tg_errors_count(errors), 3);
    cr_assert_str_eq(tg_errors_get(errors, 0).message,
                     "input x is f32[3], but the kernel takes f32[2,3]");
    cr_assert_str_eq(tg_errors_get(errors, 1).message, "input n of type i4[2] is missing");
    cr_assert_str_eq(tg_errors_get(errors, 2).message, "the kernel has no input m");
    tg_errors_free(errors);
    errors = tg_errors_new();
    check_error(&errors, tg_arrays_run(module, NULL, inputs, NULL, NULL, wrong, &report, errors),
                TG_ERR_USAGE, "there are arrays among the outputs already");
    tg_arrays_free(inputs);
    tg_arrays_free(outputs);
    tg_arrays_free(wrong);
    tg_module_free(module);
    tg_errors_free(errors);
}

Test(api_array_runs, errors_beyond_those_that_are_kept_are_counted)
{
    tg_report *report;
    tg_errors *errors = tg_errors_new();
    tg_module *module = load_kernel(twice);
    tg_arrays *inputs = make_two(), *outputs = tg_arrays_new();
    for (int i = 0; i < 107; i++) {
        char name[16];
        snprintf(name, sizeof name, "y%d", i);
        cr_assert_eq(tg_arrays_add_zeros(inputs, name, "f32[1]", NULL), TG_OK);
    }
    cr_assert_eq(tg_arrays_run(module, NULL, inputs, NULL, NULL, outputs, &report, errors),
                 TG_ERR_USAGE);
    cr_assert_eq(tg_errors_count(errors), 100);
    cr_assert_eq(tg_errors_dropped(errors), 7);
    tg_arrays_free(inputs);
    tg_arrays_free(outputs);
    tg_module_free(module);
    tg_errors_free(errors);
}

static tg_status count_and_stop(void *context, const tg_module *module, const char *kernel,
                                const tg_array *list, size_t count, const tg_run_options *options,
                                tg_report **report, tg_errors *errors)
{
    (void)module, (void)kernel, (void)options, (void)errors;
    *(size_t *)context = count;
    cr_assert_str_eq(list[2].name, "o");
    *report = NULL;
    return TG_ERR_STOPPED;
}

Test(api_array_runs, a_hook_runs_in_place)
{
    size_t count = 0;
    tg_report *report;
    tg_module *module = load_kernel(twice);
    tg_arrays *inputs = make_two(), *outputs = tg_arrays_new();
    const tg_run_hook hook = {sizeof hook, count_and_stop, &count};
    cr_assert_eq(tg_arrays_run(module, NULL, inputs, NULL, &hook, outputs, &report, NULL),
                 TG_ERR_STOPPED);
    cr_assert_eq(count, 3);
    tg_arrays_free(inputs);
    tg_arrays_free(outputs);
    tg_module_free(module);
}
