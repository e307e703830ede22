/* Check "coverage": how many programs wrote the elements of each output, the same in every order. */
#include "run_text.h"

/* A part: how many elements, the least of them, and the first programs on the first axis. */
typedef struct part {
    int64_t count, first, programs[2];
} part;

typedef struct covered {
    const char *name;
    part none, one, several;
} covered;

static void expect_part(const tg_coverage_part *found, const part *wanted, int programs,
                        const char *what)
{
    cr_assert_eq(found->count, wanted->count, "%s: %d elements", what, (int)found->count);
    cr_assert_eq(found->first, wanted->count ? wanted->first : -1, "%s: first %d", what,
                 (int)found->first);
    for (int i = 0; wanted->count && i < programs; i++)
        cr_assert_eq(found->programs[i][0], wanted->programs[i], "%s: program %d", what,
                     (int)found->programs[i][0]);
}

static void expect_covered(const tg_report *report, const covered *list, size_t count)
{
    cr_assert_eq(tg_report_output_count(report), count);
    for (size_t i = 0; i < count; i++) {
        const tg_output_coverage o = tg_report_output(report, i);
        cr_assert_str_eq(o.name, list[i].name);
        expect_part(&o.none, &list[i].none, 0, "none");
        expect_part(&o.one, &list[i].one, o.rank ? 1 : 0, "one");
        expect_part(&o.several, &list[i].several, 2, "several");
    }
}

static void check(const char *text, const named *inputs, const covered *list, size_t count)
{
    tg_module *module = load_kernel(text);
    for (int o = 0; o < ORDERS; o++) {
        const tg_run_options options = {
            .size = sizeof options, .order = every_order[o], .checks = "coverage"};
        arrays all = make_arrays(module, inputs);
        tg_report *report = run_once(module, &all, &options);
        expect_covered(report, list, count);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

#define COVERED(...)                                                                               \
    ((const covered[]){__VA_ARGS__}), sizeof((const covered[]){__VA_ARGS__}) / sizeof(covered)
#define NOTHING NAMED({NULL, NULL})
#define PROGRAM_ID "%10:i32[] = program_id axis=0\n"

Test(coverage, never_once_and_more_often)
{
    /* Windows of three from each of five places on: 0 and 6 have one program, 7 to 9 none. */
    check("grid 5\noutput o i32[10]\noutput p i32[5] block s at i\nbody\n" PROGRAM_ID
          "%11:i32[3] = broadcast_in_dim %10 dims=[]; store %1 %11 %10 [*:3]; store %2 %10 []\n",
          NOTHING,
          COVERED({"o", {3, 7, {0}}, {2, 0, {0}}, {5, 1, {0, 1}}},
                  {"p", {0, 0, {0}}, {5, 0, {0}}, {0, 0, {0}}}));
}

/* The programs that are named are the first ones of the grid, in whatever order they came. */
Test(coverage, the_first_programs)
{
    check("grid 70\noutput o i32[130]\nbody\n" PROGRAM_ID
          "%11:i32[] = constant value=69; %12:i32[] = sub %11 %10; %13:i32[61] = broadcast_in_dim "
          "%10 dims=[]\nstore %1 %13 %12 [*:61]\n",
          NOTHING, COVERED({"o", {0, 0, {0}}, {2, 0, {69}}, {128, 1, {68, 69}}}));
}

/* A program that writes twice is one; the steps of a chain are several. */
Test(coverage, programs_count_not_writes)
{
    check("grid 3\noutput o i32[3] block s at i\nbody\n" PROGRAM_ID
          "store %1 %10 []; store %1 %10 []\n",
          NOTHING, COVERED({"o", {0, 0, {0}}, {3, 0, {0}}, {0, 0, {0}}}));
    check("grid 3a\noutput o i32[2]\nbody\n" PROGRAM_ID
          "%11:i32[1] = broadcast_in_dim %10 dims=[]; store %1 %11 [0:1]\n",
          NOTHING, COVERED({"o", {1, 1, {0}}, {0, 0, {0}}, {1, 0, {0, 1}}}));
    check("output o i32[2]\nbody\n%10:i32[1] = constant value=1; store %1 %10 [1:1]\n", NOTHING,
          COVERED({"o", {1, 0, {0}}, {1, 1, {0}}, {0, 0, {0}}}));
}

/* Atomics, strides, and an output that shares its memory with an input. */
Test(coverage, other_writes)
{
    static const int32_t x[8] = {0};
    check("grid 2\ninput x i32[8]\noutput o i32[8] alias=x\nbody\n" PROGRAM_ID
          "%11:i32[2] = broadcast_in_dim %10 dims=[]; add_update %2 %11 %10 [*:2:3]\n"
          "%12:i32[1] = constant value=4; store %1 %12 [4:1]\n",
          NAMED({"x", x}), COVERED({"o", {4, 2, {0}}, {3, 0, {0}}, {1, 4, {0, 1}}}));
}

Test(coverage, not_asked_for)
{
    tg_module *module =
        load_kernel("output o i32[1]\nbody\n%10:i32[1] = constant value=1; store %1 %10 [0:1]\n");
    static const char *const checks[] = {"none", "races"};
    for (size_t i = 0; i < 2; i++) {
        const tg_run_options options = {.size = sizeof options, .checks = checks[i]};
        arrays all = make_arrays(module, NOTHING);
        tg_report *report = run_once(module, &all, &options);
        cr_assert_eq(tg_report_output_count(report), 0);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* Of a check it is that of order sequential; it is there once. */
Test(coverage, of_a_check)
{
    tg_module *module = load_kernel(
        "grid 4\noutput o i32[1]\nbody\n%10:i32[1] = constant value=1; store %1 %10 [0:1]\n");
    arrays all = make_arrays(module, NOTHING);
    tg_report *report;
    cr_assert_eq(tg_check(module, NULL, all.list, all.count, NULL, NULL, &report, NULL), TG_OK);
    expect_covered(report, COVERED({"o", {0, 0, {0}}, {0, 0, {0}}, {1, 0, {0, 1}}}));
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}
