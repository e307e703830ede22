/* tg_check: outputs that depend on the order, the two programs that decide them, and the order that shows it again. */
#include "run_text.h"

static tg_report *check_with(const tg_module *module, arrays *all, const tg_check_options *orders)
{
    const tg_run_options options = {.size = sizeof options, .checks = "none"};
    tg_errors *errors = tg_errors_new();
    tg_report *report = NULL;
    const tg_status status =
        tg_check(module, NULL, all->list, all->count, &options, orders, &report, errors);
    if (status != TG_OK) show_errors(errors);
    cr_assert_eq(status, TG_OK);
    tg_errors_free(errors);
    return report;
}

/* The only finding, which must be that of an order. */
static tg_finding only_finding(const tg_report *report)
{
    if (tg_report_finding_count(report) != 1) show_findings(report);
    cr_assert_eq(tg_report_finding_count(report), 1);
    const tg_finding f = tg_report_finding(report, 0);
    cr_assert_str_eq(f.kind, "order-dependence");
    cr_assert_str_eq(f.level, "error");
    return f;
}

static void expect_clean(const char *text, const named *inputs)
{
    tg_module *module = load_kernel(text);
    arrays all = make_arrays(module, inputs);
    tg_report *report = check_with(module, &all, NULL);
    show_findings(report);
    cr_assert_eq(tg_report_finding_count(report), 0);
    cr_assert_eq(tg_report_stats(report).programs > 0, true);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

#define PROGRAM_ID "%10:i32[] = program_id axis=0\n"
#define LAST_WINS                                                                                  \
    "grid 5\noutput o i32[2]\nbody\n" PROGRAM_ID                                                   \
    "%11:i32[2] = broadcast_in_dim %10 dims=[]; store %1 %11 [0:2] loc=4\n"

/* Without a shuffle that happens to show it: reversed is among the orders. */
Test(check, the_last_writer_wins)
{
    static const tg_check_options few = {.size = sizeof few, .shuffles = -1, .interleavings = -1};
    tg_module *module = load_kernel(LAST_WINS);
    arrays all = make_arrays(module, NAMED({NULL, NULL}));
    tg_report *report = check_with(module, &all, &few);
    const tg_finding f = only_finding(report);
    cr_assert_str_eq(f.message, "o[0] is 4 in order sequential, but 3 in order replay:4-before-3: "
                                "it is decided by which of the "
                                "programs (3) and (4) runs first");
    cr_assert_str_eq(f.order, "replay:4-before-3");
    cr_assert_eq(f.line, 4);
    cr_assert_eq(f.program[0], 4);
    cr_assert_eq(f.first, 0);
    cr_assert_eq(f.count, 2);
    cr_assert_eq(f.related_count, 3);
    const tg_related last = tg_report_related(report, 0, 0),
                     first = tg_report_related(report, 0, 1),
                     then = tg_report_related(report, 0, 2);
    cr_assert_eq(last.line, 4);
    cr_assert_eq(last.program[0], 3);
    cr_assert_eq(first.program[0], 4);
    cr_assert_eq(then.program[0], 3);
    cr_assert_eq(((int32_t *)array_data(&all, "o"))[0], 4); /* as in order sequential */
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

/* What a finding's order leaves is what its message says. */
Test(check, its_order_shows_it_again)
{
    tg_module *module = load_kernel(LAST_WINS);
    arrays all = make_arrays(module, NAMED({NULL, NULL}));
    tg_report *report = check_with(module, &all, NULL);
    const tg_run_options options = {.size = sizeof options, .order = only_finding(report).order};
    tg_report *again = run_once(module, &all, &options);
    char value[24];
    snprintf(value, sizeof value, "but %d in", ((int32_t *)array_data(&all, "o"))[0]);
    cr_assert_not_null(strstr(only_finding(report).message, value));
    tg_report_free(again);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

/* Where no two programs alone make the difference, the order is the way to the other one up to where it appears: here three
 * programs that each pass on what the one before has left. */
Test(check, more_than_two_programs)
{
    static const int32_t zeros[4] = {0};
    tg_module *module = load_kernel(
        "grid 4\ninput x i32[4]\noutput o i32[4] alias=x\nbody\n" PROGRAM_ID
        "%11:i32[] = constant value=1; %12:i32[] = constant value=3; %13:i32[] = constant value=0\n"
        "%14:i32[] = sub %12 %10; %15:i32[] = min %14 %12\n"
        "%16:i32[] = sub %15 %11; %17:i32[] = max %16 %13\n"
        "%18:i32[] = load %2 %17 [@] loc=2; %19:i32[] = add %18 %11; store %2 %19 %15 [@] loc=3\n");
    arrays all = make_arrays(module, NAMED({"x", zeros}));
    tg_report *report = check_with(module, &all, NULL);
    const tg_finding f = only_finding(report);
    const tg_run_options options = {.size = sizeof options, .order = f.order};
    int32_t before[4];
    memcpy(before, array_data(&all, "o"), sizeof before);
    tg_report_free(run_once(module, &all, &options));
    cr_assert_neq(((int32_t *)array_data(&all, "o"))[f.first], before[f.first], "%s", f.message);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

/* A lost update needs programs that run at the same time. */
Test(check, only_interleaved)
{
    static const int32_t zeros[1] = {0};
    tg_module *module = load_kernel("grid 6\ninput x i32[1]\noutput o i32[1] alias=x\nbody\n"
                                    "%10:i32[1] = constant value=1; %11:i32[1] = load %2 [0:1] "
                                    "loc=1; %12:i32[1] = add %11 %10; store %2 %12 [0:1] loc=2\n");
    arrays all = make_arrays(module, NAMED({"x", zeros}));
    tg_report *report = check_with(module, &all, NULL);
    const tg_finding f = only_finding(report);
    cr_assert(strncmp(f.order, "interleaved:", 12) == 0, "%s", f.order);
    cr_assert_eq(f.related_count, 1);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

/* Findings that only another order makes. */
Test(check, findings_of_other_orders)
{
    static const int32_t zeros[1] = {0};
    tg_module *module = load_kernel(
        "grid 3\ninput x i32[1]\ninput y i32[4]\noutput o i32[1] alias=x\noutput p i32[3] block s "
        "at i\nbody\n" PROGRAM_ID "%11:i32[] = constant value=0; %12:i32[] = load %3 %11 [@] "
        "loc=1; %13:i32[] = load %2 %12 [@] loc=2; store %4 %13 []\n"
        "%14:i32[] = constant value=2; %15:i32[] = mul %10 %14; store %3 %15 %11 [@] loc=3\n");
    static const int32_t four[4] = {0};
    arrays all = make_arrays(module, NAMED({"x", zeros}, {"y", four}));
    tg_report *report = check_with(module, &all, NULL);
    bool is_outside = false;
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        if (strcmp(f.kind, "access-outside-ref") != 0) continue;
        is_outside = true;
        cr_assert_str_neq(f.order, "sequential");
    }
    cr_assert(is_outside);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

Test(check, clean)
{
    static const int32_t zeros[40] = {0};
    expect_clean("grid 7\noutput o i32[7] block s at i\nbody\n" PROGRAM_ID "store %1 %10 []\n",
                 NAMED({NULL, NULL}));
    expect_clean(
        "grid 7a\noutput o i32[1]\nbody\n%10:i32[1] = constant value=3; store %1 %10 [0:1]\n",
        NAMED({NULL, NULL}));
    expect_clean("grid 9\ninput x i32[1]\noutput o i32[1] alias=x\nbody\n%10:i32[1] = constant "
                 "value=1; add_update %2 %10 [0:1]\n",
                 NAMED({"x", zeros}));
    expect_clean(
        "grid 3\noutput o f32[2]\nbody\n%10:f32[2] = constant value='nan'; store %1 %10 [0:2]\n",
        NAMED({NULL, NULL}));
}

/* An output whose memory is its input's: each order begins with the input. */
Test(check, one_memory)
{
    tg_module *module = load_kernel(
        "grid 2\ninput x i32[1]\noutput o i32[1] alias=x\nbody\n%10:i32[1] = constant value=1; "
        "add_update %2 %10 [0:1]\n");
    static const int32_t five[1] = {5};
    arrays all = make_arrays(module, NAMED({"x", five}));
    free(all.list[1].tensor.data);
    all.list[1].tensor.data = all.list[0].tensor.data;
    tg_report *report = check_with(module, &all, NULL);
    cr_assert_eq(tg_report_finding_count(report), 0);
    cr_assert_eq(*(int32_t *)all.list[0].tensor.data, 7);
    tg_report_free(report);
    free(all.list[0].tensor.data);
    tg_module_free(module);
}

/* An executable is checked as often as wanted, on memory that an output takes from its input. */
Test(check, executables)
{
    tg_module *module = load_kernel(
        "grid 2\ninput x i32[1]\noutput o i32[1] alias=x\nbody\n%10:i32[1] = constant value=1; "
        "add_update %2 %10 [0:1]\n");
    const tg_run_options options = {.size = sizeof options, .checks = "all"};
    tg_executable *executable;
    int32_t value = 5;
    void *const data[] = {&value, &value};
    cr_assert_eq(tg_executable_new(module, NULL, &options, &executable, NULL), TG_OK);
    for (int32_t turn = 1; turn <= 3; turn++) {
        tg_report *report;
        cr_assert_eq(tg_executable_check(executable, data, NULL, 0, NULL, &report, NULL), TG_OK);
        cr_assert_eq(tg_report_finding_count(report), 0);
        cr_assert_eq(tg_report_stats(report).programs, 2);
        cr_assert_eq(value, 5 + 2 * turn);
        tg_report_free(report);
    }
    tg_executable_free(executable);
    tg_module_free(module);
}

Test(check, refuses_executables)
{
    static const struct {
        tg_run_options options;
        size_t sizes;
        const char *message;
    } bad[] = {{{.order = "shuffled:3"}, 0, "begins with order sequential, not shuffled:3"},
               {{.backend = "emulator"}, 0, "made by the interpreter"},
               {{.order = NULL}, 1, "0 axes of the grid are dynamic, 1 sizes are given"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tg_module *module = load_kernel("grid 2\noutput o i32[1]\nbody\n"
                                        "%10:i32[1] = constant value=1; store %1 %10 [0:1]\n");
        tg_errors *errors = tg_errors_new();
        tg_run_options options = bad[i].options;
        tg_executable *executable;
        tg_report *report;
        const int64_t grid[1] = {2};
        int32_t value;
        void *const data[] = {&value};
        options.size = sizeof options;
        cr_assert_eq(tg_executable_new(module, NULL, &options, &executable, errors), TG_OK);
        cr_assert_eq(
            tg_executable_check(executable, data, grid, bad[i].sizes, NULL, &report, errors),
            TG_ERR_USAGE);
        cr_assert_null(report);
        cr_assert_not_null(strstr(tg_errors_get(errors, 0).message, bad[i].message));
        tg_executable_free(executable);
        tg_errors_free(errors);
        tg_module_free(module);
    }
}

Test(check, refuses)
{
    static const struct {
        tg_run_options options;
        const char *message;
    } bad[] = {{{.order = "reversed"}, "begins with order sequential"},
               {{.backend = "emulator"}, "made by the interpreter"},
               {{.checks = "spelling"}, "\"spelling\" is none of"}};
    tg_module *module = load_kernel(LAST_WINS);
    arrays all = make_arrays(module, NAMED({NULL, NULL}));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tg_run_options options = bad[i].options;
        tg_errors *errors = tg_errors_new();
        tg_report *report = NULL;
        options.size = sizeof options;
        cr_assert_eq(tg_check(module, NULL, all.list, all.count, &options, NULL, &report, errors),
                     TG_ERR_USAGE);
        cr_assert_null(report);
        cr_assert_not_null(strstr(tg_errors_get(errors, 0).message, bad[i].message), "%s",
                           tg_errors_get(errors, 0).message);
        tg_errors_free(errors);
    }
    cr_assert_eq(
        tg_check(module, "none", all.list, all.count, NULL, NULL, &(tg_report *){NULL}, NULL),
        TG_ERR_USAGE);
    const tg_run_options replay = {.size = sizeof replay, .order = "replay:9-before-3"};
    cr_assert_eq(tg_run(module, NULL, all.list, all.count, &replay, &(tg_report *){NULL}, NULL),
                 TG_ERR_USAGE);
    free_arrays(&all);
    tg_module_free(module);
}
