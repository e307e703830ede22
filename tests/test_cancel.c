/* Programs that take over the work of others that have not begun (cancel_launch). */
#include "run_findings.h"

enum { MANY = 40 };

static const int32_t zeros[MANY], none[5] = {0, -1, -2, -3, -4};

/* Counts for each grid point how often somebody does its work: its own program, or the one that took it over. */
#define COUNT                                                                                      \
    "grid 40p\ninput x i32[40]\noutput o i32[40] alias=x\nbody\n"                                  \
    "%3:i32[] = program_id axis=0; %4:i32[] = constant value=0; %5:i32[] = constant value=1\n"     \
    "%6:i32[] = while %3 { (%10:i32[]) %11:bool[] = ge %10 %4; yield %11 } { (%12:i32[])\n"        \
    "%13:i32[] = atomic_rmw %2 %5 %12 [@] kind='add'\n"                                            \
    "%14:i32[] = cancel_launch; yield %14 }\n"

Test(cancel, each_grid_point_is_done_once)
{
    int32_t ones[MANY];
    for (int i = 0; i < MANY; i++) ones[i] = 1;
    expect_findings(COUNT, NAMED({"x", zeros}, {"o", ones}), "");
}

/* Each program writes its number where it does work. */
#define WHO                                                                                        \
    "grid 40p\noutput o i32[40]\nbody\n"                                                           \
    "%3:i32[] = program_id axis=0; %4:i32[] = constant value=0\n"                                  \
    "%6:i32[] = while %3 { (%10:i32[]) %11:bool[] = ge %10 %4; yield %11 } { (%12:i32[])\n"        \
    "store %1 %3 %12 [@]; %14:i32[] = cancel_launch; yield %14 }\n"

static void who_did(const char *order, int32_t *who)
{
    tg_module *module = load_kernel(WHO);
    arrays all = make_arrays(module, NAMED({NULL, NULL}));
    const tg_run_options options = {.size = sizeof options, .order = order};
    tg_report *report = run_once(module, &all, &options);
    cr_assert_eq(tg_report_finding_count(report), 0, "%s", order);
    cr_assert_eq(tg_report_stats(report).programs, MANY, "%s", order);
    memcpy(who, array_data(&all, "o"), MANY * sizeof *who);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

static int count_own(const int32_t *who)
{
    int own = 0;
    for (int i = 0; i < MANY; i++) own += who[i] == i;
    return own;
}

Test(cancel, orders_choose_how_much_is_taken_over)
{
    int32_t who[MANY], again[MANY];
    who_did("sequential", who);
    for (int i = 0; i < MANY; i++) cr_expect_eq(who[i], 0);
    who_did("reversed", who);
    cr_expect_eq(count_own(who), MANY);
    static const char *const mixed[] = {"shuffled:1", "shuffled:2", "interleaved:1", "parallel:4"};
    for (int o = 0; o < 4; o++) {
        who_did(mixed[o], who);
        who_did(mixed[o], again);
        cr_expect_arr_eq(who, again, sizeof who, "%s", mixed[o]);
        cr_expect(count_own(who) > 0 && count_own(who) < MANY, "%s", mixed[o]);
    }
}

/* Each program says what it took over, which it does not do. */
#define TAKEN(grid, attrs, more)                                                                   \
    "grid " grid "\ninput x i32[5]\noutput o i32[5] alias=x\n" more "body\n"                       \
    "%20:i32[] = program_id axis=0\n%21:i32[] = cancel_launch" attrs                               \
    "\nstore %2 %21 %20 [@] loc=2\n"

Test(cancel, the_first_chains_begin_in_any_case)
{
    static const int32_t some[] = {4, 3, -1, -3, -4}, all[] = {-1, -1, -1, -1, -1},
                         next[] = {1, -1, 3, -3, -1};
    tg_module *module = load_kernel(TAKEN("5p", " resident=3", ""));
    expect_in(module, NAMED({"x", none}, {"o", some}), "sequential", "");
    expect_in(module, NAMED({"x", none}, {"o", all}), "reversed", "");
    tg_module_free(module);
    module = load_kernel(TAKEN("5p", " resident=5", ""));
    expect_in(module, NAMED({"x", none}, {"o", all}), "sequential", "");
    tg_module_free(module);
    module = load_kernel(TAKEN("5p", "", ""));
    expect_in(module, NAMED({"x", none}, {"o", next}), "sequential", "");
    tg_module_free(module);
}

/* Where all chains run at the same time, none is left. */
Test(cancel, chains_that_signal_each_other)
{
    static const int32_t all[] = {-1, -1, -1, -1, -1};
    expect_findings(TAKEN("5p", "; semaphore_signal %3 %20", "scratch g sem[] shared\n"),
                    NAMED({"x", none}, {"o", all}), "");
}

/* The target says that the axis is not parallel: its programs are steps that follow each other. */
Test(cancel, steps_are_not_taken_over)
{
    static const int32_t all[] = {-1, -1, -1, -1, -1};
    tg_module *module = load_kernel(TAKEN("5", "", ""));
    const tg_run_options options = {.size = sizeof options, .order = "sequential", .target = "tpu"};
    arrays run = make_arrays(module, NAMED({"x", none}, {"o", all}));
    tg_report *report = run_once(module, &run, &options);
    compare_arrays(&run, "target tpu");
    tg_report_free(report);
    free_arrays(&run);
    tg_module_free(module);
}

/* What a program takes over and does not do stays undone. */
Test(cancel, work_that_is_taken_over_and_not_done)
{
    static const int32_t own[] = {0, 1, 2, 3, 4};
    tg_module *module = load_kernel("grid 5p\noutput o i32[5]\nbody\n%3:i32[] = program_id axis=0\n"
                                    "%4:i32[] = cancel_launch; store %1 %3 %3 [@]\n");
    expect_in(module, NAMED({"o", NULL}), "sequential", "output-unwritten@9");
    expect_in(module, NAMED({"o", own}), "reversed", "");
    tg_module_free(module);
}

/* Others race with what is taken over, as with the work of its own program. */
Test(cancel, a_race_with_what_is_taken_over)
{
    tg_module *module =
        load_kernel("grid 3p\noutput o i32[1]\nbody\n%3:i32[] = program_id axis=0; %4:i32[] = "
                    "constant value=0\n"
                    "%5:i32[1] = reshape %3; store %1 %5 [0:1] loc=2; %6:i32[] = cancel_launch\n"
                    "store %1 %5 [0:1] loc=3\n");
    expect_in(module, NAMED({"o", NULL}), "sequential", "race@2; race@2; race@3");
    tg_module_free(module);
}
