/* What a TPU makes of a kernel: axes that nobody declares, windows of aliased blocks, prefetch tables, levels. */
#include "check_text.h"

static const float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const int32_t table[4] = {0, 1, 0, 1};

static void check(const char *target, const char *text, const char *const *wanted)
{
    const tg_run_options how = {.checks = "races,aliases,revisits,prefetch", .target = target};
    check_lines(text, NAMED({"x", numbers}, {"t", table}), &how, wanted);
}

/* The outputs of order `sequential`; the first `count` elements of o. */
static void gives(const char *target, const char *text, const float *wanted, size_t count)
{
    tg_module *module = load_kernel(text);
    arrays all = make_arrays(module, NAMED({"x", numbers}, {"t", table}));
    tg_run_options options = {.size = sizeof options, .target = target};
    tg_report_free(run_once(module, &all, &options));
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(((const float *)array_data(&all, "o"))[i], wanted[i], "%s: o[%zu]", target, i);
    free_arrays(&all);
    tg_module_free(module);
}

/* ---- axes ---- */

#define SUM(grid)                                                                                  \
    "grid " grid "\ninput x f32[8] block b2 at i\noutput o f32[2]\nbody\n"                         \
    "%10:i32[] = program_id axis=0; %11:i32[] = constant value=0; %12:bool[] = eq %10 %11; "       \
    "%13:i32[] = convert %12; switch %13 {} { %14:f32[2] = constant value=0; store %2 %14 [0:2] "  \
    "loc=1 }\n"                                                                                    \
    "%15:f32[2] = load %1 [0:2]; %16:f32[2] = load %2 [0:2] loc=2; %17:f32[2] = add %15 %16; "     \
    "store %2 %17 [0:2] loc=3\n"

static void expect_races(const char *target, const char *text)
{
    const tg_run_options how = {.checks = "races", .target = target, .size = sizeof how};
    tg_module *module = load_kernel(text);
    arrays all = make_arrays(module, NAMED({"x", numbers}));
    tg_report *report = run_once(module, &all, &how);
    cr_expect_gt(tg_report_finding_count(report), 0, "%s", text);
    for (size_t i = 0; i < tg_report_finding_count(report); i++)
        cr_expect_str_eq(tg_report_finding(report, i).kind, "race");
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

Test(target_tpu, axes_that_nobody_declares)
{
    check("tpu", SUM("4"), NO_LINES);
    check("tpu", SUM("4a"), NO_LINES);
    expect_races(NULL, SUM("4"));
    expect_races("any", SUM("4"));
    expect_races("tpu", SUM("4p"));
    gives("tpu", SUM("4"), (float[]){16, 20}, 2);
}

Test(target_tpu, revisits_along_axes_that_nobody_declares)
{
    static const char *const wanted[] = {
        "error block-revisited load 1 (2) o[0..0]: the block of o, output 0, with o[0] is left and "
        "come back to, and read before this visit writes it: where blocks are kept in fast memory "
        "while they are visited, as on a TPU, it holds anything then | visited before by store 2 "
        "(0)",
        NULL};
    check("tpu",
          "grid 4\ninput x f32[8]\noutput o f32[4] block b2 { (%900:i32[]) %902:i32[] = constant "
          "value=2; %903:i32[] = rem %900 %902; yield %903 }\nbody\n%10:f32[2] = load %2 [0:2] "
          "loc=1; store %2 %10 [0:2] loc=2\n",
          wanted);
}

/* ---- windows ---- */

#define UNFETCHED(where, op, line, program)                                                        \
    "error alias-unfetched " op " " #line " (" program ") " where
#define IN_PLACE(ops) "input x f32[8]\noutput o f32[8] alias=x\nbody\n" ops
#define OF_BLOCKS(ops)                                                                             \
    "grid 4a\ninput x f32[8] block b2 at i\noutput o f32[8] alias=x block b2 at i\nbody\n" ops
#define LEFT                                                                                       \
    " is left as it was, as no program writes it while its block is visited: on a TPU o, output "  \
    "0, has a block of its own, which is written back whole and into which its alias x is not "    \
    "copied first"
#define EARLY                                                                                      \
    " is read before a program writes it: on a TPU o, output 0, has a block of its own, which is " \
    "written back whole and into which its alias x is not copied first"
#define HALF "%10:f32[4] = load %1 [0:4]; store %2 %10 [0:4] loc=2\n"

Test(target_tpu, aliased_blocks_that_are_not_written)
{
    check("tpu", IN_PLACE(""), LINES(UNFETCHED("o[0..0]: o[0]", "", 9, "") LEFT));
    check("tpu", IN_PLACE(HALF), LINES(UNFETCHED("o[4..4]: o[4]", "store", 2, "") LEFT));
    check("tpu", OF_BLOCKS("%10:f32[1] = load %1 [0:1]; store %2 %10 [1:1] loc=2\n"),
          LINES(UNFETCHED("o[0..0]: o[0]", "store", 2, "0") LEFT));
    check("any", IN_PLACE(HALF), NO_LINES);
    check(NULL, IN_PLACE(HALF), NO_LINES);
}

Test(target_tpu, aliased_blocks_that_are_read_first)
{
    check("tpu",
          OF_BLOCKS("%10:f32[2] = load %2 [0:2] loc=1; %11:f32[2] = neg %10; store %2 %11 [0:2]\n"),
          LINES(UNFETCHED("o[0..0]: o[0]", "load", 1, "0") EARLY));
    check("tpu",
          OF_BLOCKS("%10:f32[2] = load %1 [0:2]; store %2 %10 [0:2]; %11:f32[2] = load %2 "
                    "[0:2]; store %2 %11 [0:2]\n"),
          NO_LINES);
}

/* Blocks that no program visits keep what the input has, and what is left in HBM is one memory. */
Test(target_tpu, aliases_that_stay)
{
    check("tpu",
          "grid 2a\ninput x f32[8] block b2 at i\noutput o f32[8] alias=x block b2 at i\nbody\n"
          "%10:f32[2] = load %1 [0:2]; store %2 %10 [0:2]\n",
          NO_LINES);
    static const char *const spaces[][2] = {{"any", "any"}, {"hbm", "hbm"}, {"any", "hbm"}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        char text[400];
        snprintf(
            text, sizeof text,
            "input x f32[8] space=%s\noutput o f32[8] alias=x space=%s\nbody\n"
            "%%10:f32[4] = load %%1 [0:4]; store %%2 %%10 [4:4]; %%11:f32[4] = load %%1 [4:4]; "
            "store %%2 %%11 [4:4]\n",
            spaces[i][0], spaces[i][1]);
        check("tpu", text, NO_LINES);
    }
}

/* What a program has overwritten by the output's name it still finds by the input's. */
Test(target_tpu, windows_keep_what_was_fetched)
{
#define TWICE                                                                                      \
    "%10:f32[8] = load %1 [0:8]; %11:f32[8] = neg %10; store %2 %11 [0:8]; %12:f32[8] = load %1 "  \
    "[0:8] loc=3; %13:f32[8] = add %12 %12; store %2 %13 [0:8]\n"
    check("tpu", IN_PLACE(TWICE), NO_LINES);
    gives("tpu", IN_PLACE(TWICE), (float[]){2, 4, 6, 8}, 4);
    gives("any", IN_PLACE(TWICE), (float[]){-2, -4, -6, -8}, 4);
    check("tpu", "input x f32[8] space=any\noutput o f32[8] alias=x\nbody\n" TWICE,
          LINES("warning alias-assumed load 3 () x[0..0]: load reads x[0], which was written as o: "
                "the two share memory here, but elsewhere they may not, and the old value is read "
                "| written by store 0"));
}

/* The same block is not fetched again for the next step; another one that an earlier step has written may be fetched before that is
 * written back. */
Test(target_tpu, windows_fetched_after_a_write)
{
#define STEPS(x_map)                                                                               \
    "grid 2a 2a\ninput x f32[4] block b2 at " x_map                                                \
    "\noutput o f32[4] alias=x block b2 at i\nbody\n%10:f32[2] = load %1 [0:2] loc=1; %11:f32[2] " \
    "= neg %10; store %2 %11 [0:2] loc=2\n"
    check("tpu", STEPS("i"), NO_LINES);
    gives("tpu", STEPS("i"), (float[]){-1, -2, -3, -4}, 4);
    check("tpu", STEPS("j"),
          LINES("warning alias-assumed load 1 (1) x[0..0]: load reads x[0], which was written as "
                "o: the two share memory here, but elsewhere they may not, and the old value is "
                "read | written by store 2 (0)"));
}

/* Windows at the edge of an array, of scalars, of blocks without a dimension, and those of chains. */
Test(target_tpu, windows_of_all_shapes)
{
    check("tpu",
          "grid 3\ninput x f32[8] block b3 at i\noutput o f32[8] alias=x block b3 at i\nbody\n"
          "%10:f32[3] = load %1 [0:3]; store %2 %10 [0:3]\n",
          NO_LINES);
    check("tpu",
          "grid 8p\ninput x f32[8] block s at i\noutput o f32[8] alias=x block s at i\nbody\n"
          "%10:f32[] = load %1 []; %11:f32[] = neg %10; store %2 %11 []\n",
          NO_LINES);
    check(
        "tpu",
        "grid 2p 2\ninput x f32[2,4] block b1 b2 at i j\noutput o f32[2,4] alias=x block b1 b2 at "
        "i j\nbody\n%10:f32[1,2] = load %1 [0:1,0:2]; store %2 %10 [0:1,0:2]\n",
        NO_LINES);
}

/* ---- prefetch tables ---- */

#define TABLE(grid, body)                                                                          \
    "grid " grid                                                                                   \
    "\nprefetch t i32[4]\ninput x f32[8] block b2 { (%900:i32[] %901:ref<i32[4]>) %902:i32[] = "   \
    "load %901 %900 [@] loc=6; yield %902 }\noutput o f32[8] block b2 at i\nbody\n%10:f32[2] = "   \
    "load %2 [0:2]; store %3 %10 [0:2]; %11:i32[] = constant value=1\n" body
#define NEXT                                                                                       \
    "%12:i32[] = program_id axis=0; %13:i32[] = constant value=3; %14:i32[] = sub %13 %12; store " \
    "%1 %11 %14 [@] loc=7\n"
#define WRITTEN(level)                                                                             \
    level " prefetch-written store 7 (0) t[3..3]: store writes t[3], which the index map of x "    \
          "reads for a later program: a TPU asks index maps ahead of time, and may get the old "   \
          "value | read by the index map of load 6 (3)"

Test(target_tpu, prefetch_tables)
{
    check("tpu", TABLE("4", NEXT), LINES(WRITTEN("error")));
    check("any", TABLE("4a", NEXT), LINES(WRITTEN("warning")));
    check("tpu", TABLE("4", ""), NO_LINES);
}

/* What no index map reads any more may be written, and what programs read themselves too. */
Test(target_tpu, prefetch_tables_as_memory)
{
    check("tpu",
          TABLE("4", "%12:i32[] = program_id axis=0; %13:i32[] = load %1 %12 [@]; store %1 %11 "
                     "%12 [@]\n"),
          NO_LINES);
}

/* ---- backends ---- */

Test(target_tpu, is_the_interpreters)
{
    tg_module *module = load_kernel("body\n");
    arrays all = make_arrays(module, NAMED({"x", numbers}));
    const tg_run_options how = {.size = sizeof how, .target = "tpu", .backend = "emulator"};
    tg_report *report = NULL;
    tg_errors *errors = tg_errors_new();
    cr_assert_eq(tg_run(module, NULL, all.list, all.count, &how, &report, errors), TG_ERR_USAGE);
    cr_expect_str_eq(tg_errors_get(errors, 0).message,
                     "backend emulator knows no target \"tpu\": it is the interpreter's");
    tg_errors_free(errors);
    free_arrays(&all);
    tg_module_free(module);
}
