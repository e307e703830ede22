/* Findings: each kind with its place, the same in every order. */
#include "run_text.h"

typedef struct wanted {
    const char *kind, *op, *param;
    int line, rank;
    int64_t program[3], count;
    const char *message; /* all of it, or NULL */
} wanted;

static void check_finding(const tg_finding *f, const wanted *w, const char *order)
{
    cr_assert_str_eq(f->kind, w->kind, "%s: %s", order, f->message);
    cr_assert_str_eq(f->kernel, "k");
    cr_assert_str_eq(f->op, w->op, "%s: %s", order, f->message);
    cr_assert_str_eq(f->param, w->param, "%s: %s", order, f->message);
    cr_assert_eq(f->line, w->line, "%s: line %d of %s", order, (int)f->line, f->message);
    cr_assert_str_eq(f->file, w->line ? "k.py" : "");
    cr_assert_str_eq(f->function, w->line ? "f" : "");
    cr_assert_eq(f->count, w->count, "%s: %d times %s", order, (int)f->count, f->message);
    if (w->message) cr_assert_str_eq(f->message, w->message, "%s: %s", order, f->message);
    if (w->rank < 0) {
        cr_assert_null(f->program, "%s", f->message);
        return;
    }
    cr_assert_eq(f->rank, w->rank);
    for (int a = 0; a < w->rank; a++)
        cr_assert_eq(f->program[a], w->program[a], "%s: program (..%d..) of %s", order,
                     (int)f->program[a], f->message);
}

/* The findings of the run, in every order; outputs may be anything. */
static void check_with(const char *text, tg_run_options options, const wanted *list, size_t count)
{
    static int32_t zeros[4096];
    tg_module *module = load_kernel(text);
    named inputs[MOST_ARRAYS] = {{NULL, NULL}};
    size_t given = 0;
    for (size_t p = 0; p < tg_module_param_count(module, NULL); p++)
        inputs[given++] = (named){tg_module_param(module, NULL, p).name, zeros};
    inputs[given] = (named){NULL, NULL};
    for (int o = 0; o < ORDERS; o++) {
        options.size = sizeof options;
        options.order = every_order[o];
        arrays all = make_arrays(module, inputs);
        tg_report *report = run_once(module, &all, &options);
        if (tg_report_finding_count(report) != count) show_findings(report);
        cr_assert_eq(tg_report_finding_count(report), count, "%s: %zu findings", every_order[o],
                     tg_report_finding_count(report));
        for (size_t i = 0; i < count; i++) {
            tg_finding found = tg_report_finding(report, i);
            check_finding(&found, &list[i], every_order[o]);
        }
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

static void check(const char *text, const wanted *list, size_t count)
{
    check_with(text, (tg_run_options){0}, list, count);
}

#define CHECK(text, ...)                                                                           \
    check(text, (const wanted[]){__VA_ARGS__},                                                     \
          sizeof((const wanted[]){__VA_ARGS__}) / sizeof(wanted))

/* ---- blocks ---- */

#define BLOCK "block-outside-array"
#define ACCESS "access-outside-ref"
#define UNWRITTEN "output-unwritten"

/* What is said of such maps besides. */
#define OFFSETS                                                                                    \
    ".  The index map gives offsets of elements where indices of blocks are wanted: divided by "   \
    "the block shape, they are all blocks of the array"

Test(findings, blocked_outside)
{
    CHECK("grid 6\ninput x f32[30] block b8 at i\nbody\n",
          {BLOCK,
           "",
           "x",
           9,
           1,
           {4},
           2,
           "the index map of x gives 4 for dimension 0 in program (4): the block would start at "
           "element 32 of f32[30]; "
           "legal is 0 to 3"});
    CHECK("grid 2 3\ninput x f32[16,16] block b8 b8 { (%900:i32[] %901:i32[]) %902:i32[] = "
          "constant value=8; %903:i32[] = mul %900 %902; yield %901 %903 }\nbody\n",
          {BLOCK,
           "",
           "x",
           9,
           2,
           {0, 2},
           4,
           "the index map of x gives 2 for dimension 0 in program (0, 2): the block would start at "
           "element 16 of f32[16,16]; "
           "legal is 0 to 1"});
    CHECK(
        "grid 2\ninput x f32[16] block b8 { (%900:i32[]) %902:i32[] = constant value=8; %903:i32[] "
        "= mul %900 %902; yield %903 }\nbody\n",
        {BLOCK,
         "",
         "x",
         9,
         1,
         {1},
         1,
         "the index map of x gives 8 for dimension 0 in program (1): the block would start at "
         "element 64 of f32[16]; "
         "legal is 0 to 1" OFFSETS});
    CHECK("input x f32[16] block b8 at -1\nbody\n",
          {BLOCK,
           "",
           "x",
           9,
           0,
           {0},
           1,
           "the index map of x gives -1 for dimension 0 in program (): the block would start at "
           "element -8 of f32[16]; "
           "legal is 0 to 1"});
}

Test(findings, other_blocks_outside)
{
    CHECK("grid 4\ninput x f32[3] block s at i\nbody\n",
          {BLOCK,
           "",
           "x",
           9,
           1,
           {3},
           1,
           "the index map of x gives 3 for dimension 0 in program (3): the block would start at "
           "element 3 of f32[3]; "
           "legal is 0 to 2"});
    CHECK("grid 9\ninput x f32[4] block e2:1:2 at i\nbody\n",
          {BLOCK,
           "",
           "x",
           9,
           1,
           {7},
           2,
           "the index map of x gives 7 for dimension 0 in program (7): the block would start at "
           "element 6 of f32[4]; "
           "legal is 0 to 6"});
    CHECK("input x f32[4] block e2 at -1\noutput o f32[4] block b4 at 2\nbody\n",
          {BLOCK, "", "x", 9, 0, {0}, 1, NULL}, {BLOCK, "", "o", 9, 0, {0}, 1, NULL},
          {UNWRITTEN,
           "",
           "o",
           9,
           -1,
           {0},
           1,
           "no program wrote 4 of the 4 elements of output o, f32[4]; the first is o[0]"});
    CHECK("input x f32[0] block b4 at 0\nbody\n", {BLOCK, "", "x", 9, 0, {0}, 1, NULL});
}

/* Whatever an index map gives, it is said. */
Test(findings, extreme_block_indices)
{
    static const char *const indices[] = {"2147483647",           "-2147483648",
                                          "l9223372036854775807", "l-9223372036854775808",
                                          "l4611686018427387904", "l-4611686018427387905"};
    static const char *const blocks[] = {"b8", "b100000000000", "e8:3:4", "e8", "s"};
    for (int i = 0; i < 6; i++)
        for (int b = 0; b < 5; b++) {
            char text[256];
            snprintf(text, sizeof text, "input x f32[30] block %s at %s\nbody\n", blocks[b],
                     indices[i]);
            CHECK(text, {BLOCK, "", "x", 9, 0, {0}, 1, NULL});
        }
}

/* A block outside reads as undefined and drops what is written. */
Test(findings, blocks_outside_are_undefined)
{
    static const int32_t x[4] = {1, 2, 3, 4}, o[4] = {1, 2, 3, 4}, seen[4] = {1, 2, 3, 4};
    expect_with("grid 3\ninput x i32[4] block b2 at i\noutput o i32[4] block b2 at i\noutput seen "
                "i32[4] block b2 at i\nbody\n"
                "%10:i32[2] = load %1 [0:2]; store %2 %10 [0:2]; %11:i32[2] = load %2 [0:2]; store "
                "%3 %11 [0:2]\n",
                NAMED({"x", x}, {"o", o}, {"seen", seen}), (tg_run_options){0}, 3);
    expect_with(
        "grid 3\ninput x i32[2] block s at i\ninput y i32[4] block b2 at i\noutput lone i32[3] "
        "block s at i\nbody\n"
        "%10:i32[] = load %1 []; %11:i32[] = constant value=1; %12:i32[] = load %2 %11 [@]; "
        "%13:i32[] = max %10 %12\n"
        "%14:ref<i32[]> = view %2 %11 [@]; %15:i32[] = load %14 []; %16:i32[] = min %12 %15; "
        "%17:i32[] = max %16 %10\n"
        "%18:i32[] = add %17 %10; store %3 %18 []\n",
        NAMED({"x", ((const int32_t[]){1, 3})}, {"y", x}, {"lone", ((const int32_t[]){3, 7, 0})}),
        (tg_run_options){0}, 2);
}

/* ---- accesses ---- */

Test(findings, accesses_outside)
{
    CHECK("grid 5\ninput x f32[12] block b4 at 0\noutput o f32[5] block s at i\nbody\n"
          "%10:i32[] = program_id axis=0; %11:f32[2] = load %1 %10 [*:2] loc=3\n"
          "%12:f32[] = reduce_sum %11 axes=[0]; store %2 %12 []\n",
          {ACCESS,
           "load",
           "x",
           3,
           1,
           {3},
           2,
           "load reaches index 4 in dimension 0 of x, which is ref<f32[4]>: legal is 0 to 3"});
    CHECK("output o i32[4,6]\nbody\n%10:i32[4,2] = constant value=1; store %1 %10 [0:4,5:2] loc=2\n"
          "%11:i32[4,6] = constant value=1; store %1 %11 [0:4,0:6]\n",
          {ACCESS,
           "store",
           "o",
           2,
           0,
           {0},
           1,
           "store reaches index 6 in dimension 1 of o, which is ref<i32[4,6]>: legal is 0 to 5"});
    CHECK(
        "input x i32[4]\noutput o i32[4]\nbody\n%10:i32[] = constant value=-3; %11:i32[] = load %1 "
        "%10 [@] loc=1\n"
        "%12:i32[4] = broadcast_in_dim %11 dims=[]; store %2 %12 [0:4]\n"
        "%13:i32[2] = constant value=7; %14:i32[2] = swap %2 %13 %10 [*:2] loc=4\n"
        "add_update %2 %11 %10 [@] loc=5\n%15:i32[] = atomic_rmw %2 %11 %10 [@] kind='max' loc=6\n"
        "%16:i32[] = atomic_cas %2 %11 %11 %10 [@] loc=7\n",
        {ACCESS,
         "load",
         "x",
         1,
         0,
         {0},
         1,
         "load reaches index -3 in dimension 0 of x, which is ref<i32[4]>: legal is 0 to 3"},
        {ACCESS, "swap", "o", 4, 0, {0}, 1, NULL}, {ACCESS, "add_update", "o", 5, 0, {0}, 1, NULL},
        {ACCESS, "atomic_rmw", "o", 6, 0, {0}, 1, NULL},
        {ACCESS, "atomic_cas", "o", 7, 0, {0}, 1, NULL});
}

Test(findings, extreme_indices)
{
    static const char *const starts[] = {"9223372036854775807", "-9223372036854775808",
                                         "4611686018427387904", "-4611686018427387905",
                                         "1152921504606846977", "1000"};
    for (int i = 0; i < 6; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "input x i32[40]\noutput o i32[20]\nbody\n%%10:i64[] = constant value='%s'\n"
            "%%11:i32[20] = load %%1 %%10 [*:20] loc=1\n%%12:i32[20] = load %%1 %%10 [*:20:2] "
            "loc=2\n"
            "%%13:i32[] = load %%1 %%10 [@] loc=3\n%%14:i64[20] = broadcast_in_dim %%10 dims=[]\n"
            "%%15:i32[20] = load %%1 %%14 [@] loc=4\n%%16:ref<i32[3]> = view %%1 %%10 [*:3] loc=5\n"
            "%%17:i32[3] = load %%16 [0:3] loc=6\nstore %%2 %%11 [0:20]\n",
            starts[i]);
        CHECK(text, {ACCESS, "load", "x", 1, 0, {0}, 1, NULL},
              {ACCESS, "load", "x", 2, 0, {0}, 1, NULL}, {ACCESS, "load", "x", 3, 0, {0}, 1, NULL},
              {ACCESS, "load", "x", 4, 0, {0}, 1, NULL}, {ACCESS, "view", "x", 5, 0, {0}, 1, NULL});
    }
}

/* A slice with a stride that only its last element leaves. */
Test(findings, strides_outside)
{
    CHECK("input x i32[9]\noutput o i32[4]\nbody\n%10:i32[4] = load %1 [0:4:3] loc=8\nstore %2 %10 "
          "[0:4]\n",
          {ACCESS,
           "load",
           "x",
           8,
           0,
           {0},
           1,
           "load reaches index 9 in dimension 0 of x, which is ref<i32[9]>: legal is 0 to 8"});
    CHECK("input x i32[9]\noutput o i32[3]\nbody\n%10:i32[3] = load %1 [0:3:140737488355328] "
          "loc=8\nstore %2 %10 [0:3]\n",
          {ACCESS, "load", "x", 8, 0, {0}, 1, NULL});
}

Test(findings, index_arrays_outside)
{
    CHECK("input x i32[3,4]\noutput o i32[2,4]\nbody\n%10:i32[2] = constant value=[1,3]\n"
          "%11:i32[2,4] = load %1 %10 [@,0:4] loc=1\nstore %2 %11 [0:2,0:4]\n"
          "%12:i32[2] = constant value=[0,-1]; store %2 %11 %12 [@,0:4] loc=2\n",
          {ACCESS,
           "load",
           "x",
           1,
           0,
           {0},
           1,
           "load reaches index 3 in dimension 0 of x, which is ref<i32[3,4]>: legal is 0 to 2"},
          {ACCESS,
           "store",
           "o",
           2,
           0,
           {0},
           1,
           "store reaches index -1 in dimension 0 of o, which is ref<i32[2,4]>: legal is 0 to 1"});
}

/* A mask may hide lanes outside, but each that it shows is reported. */
Test(findings, masks)
{
    CHECK("grid 2\ninput x i32[6]\noutput o i32[8] block b4 at i\nbody\n"
          "%10:i32[] = program_id axis=0; %11:i32[] = constant value=4; %12:i32[] = mul %10 %11\n"
          "%13:i32[4] = iota axis=0; %14:i32[4] = broadcast_in_dim %12 dims=[]; %15:i32[4] = add "
          "%13 %14\n"
          "%16:i32[4] = constant value=6; %17:bool[4] = lt %15 %16; %18:bool[4] = le %15 %16\n"
          "%19:i32[4] = load %1 %12 %17 [*:4] mask=true loc=1\n"
          "%20:i32[4] = load %1 %12 %18 [*:4] mask=true loc=2\n"
          "%21:i32[4] = load %1 %15 %17 [@] mask=true loc=3\n"
          "%22:i32[4] = load %1 %15 %18 [@] mask=true loc=4\n"
          "store %2 %19 [0:4]\n",
          {ACCESS, "load", "x", 2, 1, {1}, 1, NULL}, {ACCESS, "load", "x", 4, 1, {1}, 1, NULL});
}

/* What is outside is undefined, what is inside is there. */
Test(findings, accesses_outside_are_undefined)
{
    static const int32_t x[4] = {1, 2, 3, 4}, o[4] = {3, 4, INT32_MIN, INT32_MIN},
                         p[4] = {9, 9, 3, 4};
    static const int32_t q[4] = {INT32_MIN, 2, INT32_MIN, 4};
    expect_with(
        "input x i32[4]\noutput o i32[4]\noutput p i32[4]\noutput q i32[4]\nbody\n"
        "%10:i32[] = constant value=2; %11:i32[4] = load %1 %10 [*:4] loc=1; store %2 %11 [0:4]\n"
        "%12:i32[4] = constant value=9; store %3 %12 [0:4]; store %3 %11 %10 [*:4]\n"
        "%13:i32[4] = constant value=[4,1,-1,3]; %14:i32[4] = load %1 %13 [@] loc=2; store %4 %14 "
        "[0:4]\n",
        NAMED({"x", x}, {"o", o}, {"p", p}, {"q", q}), (tg_run_options){0}, 3);
}

/* In an index map: the load that chooses the block. */
Test(findings, in_index_maps)
{
    CHECK("grid 3\nprefetch n i32[2]\n"
          "input x f32[4] block b2 { (%900:i32[] %901:ref<i32[2]>) %902:i32[] = load %901 %900 [@] "
          "loc=6; yield %902 }\nbody\n",
          {ACCESS,
           "load",
           "n",
           6,
           1,
           {2},
           1,
           "load reaches index 2 in dimension 0 of n, which is ref<i32[2]>: legal is 0 to 1"},
          {BLOCK, "", "x", 9, 1, {2}, 1, NULL});
}

/* ---- outputs ---- */

Test(findings, unwritten)
{
    CHECK("grid 3\noutput o i32[4,7] block s b2 at 1 i\noutput p bf16[2]\nbody\n%10:i32[2] = "
          "constant value=1; store %1 %10 [0:2]\n",
          {UNWRITTEN,
           "",
           "o",
           9,
           -1,
           {0},
           1,
           "no program wrote 22 of the 28 elements of output o, i32[4,7]; the first is o[0, 0]; "
           "of its 16 blocks 13 are unwritten, the first of them (0, 0)"},
          {UNWRITTEN,
           "",
           "p",
           9,
           -1,
           {0},
           1,
           "no program wrote 2 of the 2 elements of output p, bf16[2]; the first is p[0]"});
    CHECK("output o i32[100]\noutput s i32[]\nbody\n%10:i32[67] = constant value=1; store %1 %10 "
          "[0:67]\n%11:i32[32] = constant value=2; store %1 %11 [68:32]\n",
          {UNWRITTEN,
           "",
           "o",
           9,
           -1,
           {0},
           1,
           "no program wrote 1 of the 100 elements of output o, i32[100]; the first is o[67]"},
          {UNWRITTEN,
           "",
           "s",
           9,
           -1,
           {0},
           1,
           "no program wrote 1 of the 1 elements of output s, i32[]; the first is s[]"});
}

/* The least and the greatest place, with written ones before, between and after them. */
Test(findings, unwritten_elements)
{
    tg_module *module =
        load_kernel("output o i32[12]\nbody\n%10:i32[2] = constant value=1; store %1 %10 "
                    "[0:2]; store %1 %10 [5:2]; store %1 %10 [10:2]\n");
    for (int o = 0; o < ORDERS; o++) {
        tg_run_options options = {.size = sizeof options, .order = every_order[o]};
        arrays all = make_arrays(module, (named[]){{NULL, NULL}});
        tg_report *report = run_once(module, &all, &options);
        tg_finding found = tg_report_finding(report, 0);
        cr_assert_str_eq(found.kind, UNWRITTEN);
        cr_assert_eq(found.first, 2, "%s: %d", every_order[o], (int)found.first);
        cr_assert_eq(found.last, 9, "%s: %d", every_order[o], (int)found.last);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* Written by masked, strided, scattered and atomic stores, by swaps, and through views: all of it. */
Test(findings, written_in_many_ways)
{
    check("output a i32[10]\noutput b i32[10]\noutput c i32[10]\noutput d i32[10]\noutput e "
          "i32[10]\nbody\n"
          "%10:i32[10] = iota axis=0; %11:i32[10] = constant value=1; %12:i32[10] = and %10 %11; "
          "%13:bool[10] = convert %12; %14:bool[10] = not %13\n"
          "store %1 %10 %13 [0:10] mask=true; store %1 %10 %14 [0:10] mask=true\n"
          "%15:i32[5] = constant value=3; store %2 %15 [0:5:2]; store %2 %15 [1:5:2]\n"
          "%16:i32[10] = rev %10 axes=[0]; store %3 %10 %16 [@]\n"
          "%17:i32[10] = atomic_rmw %4 %10 %10 [@] kind='xchg'\n"
          "%18:ref<i32[5]> = view %5 [1:5:2]; store %18 %15 [0:5]; %19:i32[5] = swap %5 %15 "
          "[0:5:2]\n",
          NULL, 0);
}

/* ---- loops ---- */

Test(findings, endless_loops)
{
    CHECK("grid 3\nbody\n%10:i32[] = constant value=0; %11:i32[] = constant value=4; %12:i32[] = "
          "program_id axis=0; %13:i32[] = neg %12\n"
          "for %10 %11 %13 loc=5 { (%20:i32[]) }\n"
          "for %11 %10 %13 loc=6 { (%21:i32[]) }\n",
          {"endless-loop",
           "for",
           "",
           5,
           1,
           {0},
           3,
           "for: the step is 0; it must be at least 1.  The loop was left out"});
}

/* ---- checks ---- */

Test(findings, checks)
{
    CHECK("grid 4\nbody\n%10:i32[] = constant value=2; %11:i32[] = program_id axis=0; %12:bool[] = "
          "lt %11 %10\n"
          "check %12 %11 loc=5 format='program {} is not below two {{2}}'\n"
          "%13:bool[] = le %11 %11; check %13 format='never'\n",
          {"check-failed", "check", "", 5, 1, {2}, 2, "program 2 is not below two {2}"});
}

/* ---- counting, order, limits ---- */

/* Counted over programs and turns; the message is that of the first turn of the first program. */
Test(findings, counts)
{
    CHECK("grid 40\ninput x i32[4]\nbody\n%10:i32[] = program_id axis=0; %11:i32[] = constant "
          "value=30; %12:i32[] = constant value=0\n"
          "%13:i32[] = sub %10 %11; %14:i32[] = constant value=1\n"
          "for %12 %13 %14 { (%20:i32[]) %21:i32[] = add %20 %10; %22:i32[] = load %1 %21 [@] "
          "loc=4 }\n",
          {ACCESS,
           "load",
           "x",
           4,
           1,
           {31},
           45,
           "load reaches index 31 in dimension 0 of x, which is ref<i32[4]>: legal is 0 to 3"});
}

/* Sorted by the place of the program in the grid, then by line, then by parameter. */
static const char sites_text[] =
    "grid 4 2\ninput x i32[4]\ninput y i32[4]\nbody\n"
    "%10:i32[] = program_id axis=0; %11:i32[] = program_id axis=1; %12:i32[] = constant value=2; "
    "%13:i32[] = mul %10 %12; %14:i32[] = add %13 %11\n"
    "%15:i32[] = constant value=7; %16:i32[] = constant value=0\n"
    "%20:i32[] = constant value=6; %21:bool[] = ge %14 %20; %22:i32[] = select %21 %16 %15; "
    "%23:i32[] = load %1 %22 [@] loc=1\n"
    "%30:i32[] = constant value=3; %31:bool[] = eq %14 %30; %32:i32[] = select %31 %16 %15; "
    "%33:i32[] = load %1 %32 [@] loc=2\n"
    "%40:i32[] = load %2 %32 [@] loc=2\n"
    "%50:i32[] = constant value=5; %51:bool[] = le %14 %50; %52:i32[] = select %51 %15 %16; "
    "%53:i32[] = load %1 %52 [@] loc=3\n";

Test(findings, are_sorted)
{
    CHECK(sites_text, {ACCESS, "load", "x", 2, 2, {1, 1}, 1, NULL},
          {ACCESS, "load", "y", 2, 2, {1, 1}, 1, NULL},
          {ACCESS, "load", "x", 1, 2, {3, 0}, 2, NULL},
          {ACCESS, "load", "x", 3, 2, {3, 0}, 2, NULL});
}

/* However few are wanted, they are the first in the grid. */
Test(findings, most)
{
    static const wanted list[] = {{ACCESS, "load", "x", 2, 2, {1, 1}, 1, NULL},
                                  {ACCESS, "load", "y", 2, 2, {1, 1}, 1, NULL},
                                  {ACCESS, "load", "x", 1, 2, {3, 0}, 2, NULL}};
    for (size_t most = 1; most <= 3; most++)
        check_with(sites_text, (tg_run_options){.max_findings = most}, list, most);
}

/* Ops without a line: each op is a place of its own only if it has one. */
Test(findings, without_lines)
{
    CHECK("grid 2\ninput x i32[4]\nbody\n%10:i32[] = constant value=9; %11:i32[] = load %1 %10 "
          "[@]; %12:i32[] = load %1 %10 [@]\n",
          {ACCESS, "load", "x", 0, 1, {0}, 4, NULL});
}

/* ---- as JAX does it ---- */

Test(findings, jax_moves_blocks_and_slices)
{
    static int32_t x[8];
    static const int32_t o[6] = {0, 4, 4, 4, 4, 4}, slice[3] = {5, 6, 7}, at[2] = {7, 7},
                         array[4] = {7, 0, 7, 0};
    static const int32_t low[2] = {6, 7};
    for (int i = 0; i < 8; i++) x[i] = i;
    expect_with(
        "grid 6\ninput x i32[8] block b4 at i\noutput o i32[6] block s at i\nbody\n"
        "%10:i32[4] = load %1 [0:4]; %11:i32[] = reduce_min %10 axes=[0]; store %2 %11 []\n",
        NAMED({"x", x}, {"o", o}), (tg_run_options){.compat = "jax"}, 0);
    expect_with(
        "input x i32[8]\noutput slice i32[3]\noutput at i32[2]\noutput array i32[4]\noutput low "
        "i32[2]\nbody\n"
        "%10:i32[] = constant value=100; %11:i32[3] = load %1 %10 [*:3]; store %2 %11 [0:3]\n"
        "%12:i32[] = load %1 %10 [@]; %13:i32[2] = broadcast_in_dim %12 dims=[]; store %3 %13 "
        "[0:2]\n"
        "%14:i32[4] = constant value=[100,-100,-1,0]; %15:i32[4] = load %1 %14 [@]; store %4 %15 "
        "[0:4]\n"
        "%16:i32[] = constant value=-2; %17:i32[2] = load %1 %16 [*:2]; store %5 %17 [0:2]\n",
        NAMED({"x", x}, {"slice", slice}, {"at", at}, {"array", array}, {"low", low}),
        (tg_run_options){.compat = "jax"}, 0);
}

Test(findings, jax_fills_with_zero)
{
    static const int16_t x[3] = {1, 2, 3}, o[4] = {1, 2, 3, 0}, u[2] = {0, 0}, g[4] = {3, 0, 3, 0};
    static const int32_t w[3] = {1, 2, 3}, ow[4] = {1, 2, 3, INT32_MIN};
    expect_with(
        "input x i16[3] block b4\ninput w i32[3] block b4\noutput o i16[4]\noutput ow "
        "i32[4]\noutput u i16[2]\noutput g i16[4]\nbody\n"
        "%10:i16[4] = load %1 [0:4]; store %3 %10 [0:4]; %11:i32[4] = load %2 [0:4]; store %4 %11 "
        "[0:4]\n"
        "%12:i16[2] = load %5 [0:2]; %13:i16[2] = undefined; %14:i16[2] = max %12 %13; %15:i16[2] "
        "= min %12 %13; %16:i16[2] = add %14 %15\n"
        "store %5 %16 [0:2]\n"
        "%17:i32[4] = constant value=[2,3,2,3]; %18:i16[4] = load %1 %17 [@]; store %6 %18 [0:4]\n",
        NAMED({"x", x}, {"w", w}, {"o", o}, {"ow", ow}, {"u", u}, {"g", g}),
        (tg_run_options){.compat = "jax"}, 0);
    static const int16_t none[2] = {0, 0};
    expect_with(
        "output o i16[2]\noutput p i16[2]\nscratch s i16[2]\nbody\n%10:i16[2] = load %3 [0:2]\n"
        "%11:i16[2] = scoped { (%20:ref<i16[2]>) %21:i16[2] = load %20 [0:2]; yield %21 }\n"
        "%12:i16[2] = min %10 %11; store %2 %12 [0:2]\n",
        NAMED({"o", none}, {"p", none}), (tg_run_options){.compat = "jax"}, 1);
}

/* A masked access may hang over the end, be the mask on there or not; lanes that are off show memory. */
Test(findings, jax_masks)
{
    static const int32_t x[4] = {1, 2, 3, 4}, o[4] = {3, 4, -1, -1};
    expect_with("input x i32[4]\noutput o i32[4]\nbody\n%10:i32[] = constant value=2; %11:bool[4] "
                "= constant value=[true,true,false,false]\n"
                "%12:i32[] = constant value=-1; %13:i32[4] = load %1 %10 %11 %12 [*:4] mask=true "
                "other=true; store %2 %13 [0:4]\n",
                NAMED({"x", x}, {"o", o}), (tg_run_options){.compat = "jax"}, 0);
    static const int32_t on[4] = {3, 4, INT32_MIN, INT32_MIN}, back[4] = {1, 2, 9, 8};
    expect_with(
        "input x i32[4]\noutput o i32[4]\noutput p i32[4]\nbody\n"
        "%10:i32[] = constant value=2; %11:bool[4] = constant value=[false,false,true,true]\n"
        "%12:i32[4] = load %1 %10 %11 [*:4] mask=true; %13:i32[] = constant value=1\n"
        "%14:i32[4] = constant value=[9,8,7,6]; store %2 %12 [0:4]\n"
        "%15:i32[4] = load %1 [0:4]; store %3 %15 [0:4]; %16:i32[] = constant value=-6\n"
        "%17:bool[4] = constant value=true; store %3 %14 %16 %17 [*:4] mask=true\n",
        NAMED({"x", x}, {"o", on}, {"p", back}), (tg_run_options){.compat = "jax"}, 0);
}

/* Each position is moved inside by itself, also where they count up. */
Test(findings, jax_moves_positions_one_by_one)
{
    static const int32_t x[8] = {0, 1, 2, 3, 4, 5, 6, 7}, o[4] = {6, 7, 7, 7};
    static const int32_t p[5] = {12, 12, 12, 10, 13}, q[4] = {6, 7, 10, 13};
    expect_with(
        "input x i32[8]\noutput o i32[4]\noutput p i32[5]\noutput q i32[4]\nbody\n"
        "%10:i32[4] = iota axis=0; %11:i32[4] = constant value=6; %12:i32[4] = add %10 %11\n"
        "%13:i32[4] = load %1 %12 [@]; store %2 %13 [0:4]\n"
        "%14:i32[5] = constant value=12; store %3 %14 [0:5]\n"
        "%15:i32[4] = constant value=3; %16:i32[4] = add %10 %15; %17:i32[4] = constant value=10\n"
        "%18:i32[4] = add %17 %10; store %3 %18 %16 [@]\n"
        "store %4 %13 [0:4]; %19:i32[4] = constant value=2; %20:i32[4] = add %10 %19\n"
        "%21:i32[4] = swap %4 %18 %20 [@]\n",
        NAMED({"x", x}, {"o", o}, {"p", p}, {"q", q}), (tg_run_options){.compat = "jax"}, 0);
}

/* ---- elements taken for blocks ---- */

#define TIMES(n)                                                                                   \
    "{ (%900:i32[]) %902:i32[] = constant value=" #n "; %903:i32[] = mul %900 %902; yield %903 "   \
    "}\n"

Test(findings, offsets_of_elements_for_indices_of_blocks)
{
    CHECK(
        "grid 2\noutput o i32[16] block b8 " TIMES(8) "body\n%10:i32[8] = constant value=1; store "
                                                      "%1 %10 [0:8]\n",
        {BLOCK,
         "",
         "o",
         9,
         1,
         {1},
         1,
         "the index map of o gives 8 for dimension 0 in program (1): the block would start at "
         "element 64 of i32[16]; legal is 0 to 1" OFFSETS},
        {UNWRITTEN,
         "",
         "o",
         9,
         -1,
         {0},
         1,
         "no program wrote 8 of the 16 elements of output o, i32[16]; the first is o[8]; of its 2 "
         "blocks 1 is unwritten, the first of them (1)" OFFSETS});
    /* Inside of the array, but with holes; the other dimension is as it should be. */
    CHECK("grid 2 2\ninput x f32[2,3] block s b2 { (%900:i32[] %901:i32[]) %902:i32[] = constant "
          "value=2; %903:i32[] = mul %901 %902; yield %900 %903 }\nbody\n",
          {BLOCK,
           "",
           "x",
           9,
           2,
           {0, 1},
           2,
           "the index map of x gives 2 for dimension 1 in program (0, 1): the block would start at "
           "element 4 of f32[2,3]; legal is 0 to 1" OFFSETS});
}

/* The same findings where the map gives something else: a stride of blocks, offsets of some blocks alone, a block too many. */
Test(findings, no_offsets_of_elements)
{
    CHECK("grid 2\noutput o i32[8] block b2 " TIMES(2) "body\n%10:i32[2] = constant value=1; store "
                                                       "%1 %10 [0:2]\n",
          {UNWRITTEN,
           "",
           "o",
           9,
           -1,
           {0},
           1,
           "no program wrote 4 of the 8 elements of output o, i32[8]; the first is o[2]; of its 4 "
           "blocks 2 are unwritten, the first of them (1)"});
    CHECK("grid 2\ninput x f32[24] block b8 " TIMES(8) "body\n",
          {BLOCK,
           "",
           "x",
           9,
           1,
           {1},
           1,
           "the index map of x gives 8 for dimension 0 in program (1): the block would start at "
           "element 64 of f32[24]; legal is 0 to 2"});
    CHECK("grid 3\ninput x f32[16] block b8 " TIMES(8) "body\n",
          {BLOCK,
           "",
           "x",
           9,
           1,
           {1},
           2,
           "the index map of x gives 8 for dimension 0 in program (1): the block would start at "
           "element 64 of f32[16]; legal is 0 to 1"});
    CHECK("grid 3\ninput x f32[16] block b8 at i\nbody\n",
          {BLOCK,
           "",
           "x",
           9,
           1,
           {2},
           1,
           "the index map of x gives 2 for dimension 0 in program (2): the block would start at "
           "element 16 of f32[16]; legal is 0 to 1"});
}

/* Blocks that lack everything or something, those at the edge of the array cut off. */
Test(findings, blocks_left_unwritten)
{
    CHECK(
        "grid 3\noutput o i32[10] block b4 at i\nbody\n%10:i32[] = program_id axis=0\n"
        "%11:i32[] = constant value=0; %12:bool[] = eq %10 %11; %13:i32[2] = constant value=1\n"
        "switch %12 { store %1 %13 [0:2] } { }\n",
        {UNWRITTEN,
         "",
         "o",
         9,
         -1,
         {0},
         1,
         "no program wrote 6 of the 10 elements of output o, i32[10]; the first is o[0]; of its 3 "
         "blocks 1 is unwritten and 1 in part, the first of them (0)"});
    CHECK("grid 2 2\noutput o i32[4,4] block b2 b2 at i j\nbody\n%13:i32[2,1] = constant value=1\n"
          "store %1 %13 [0:2, 0:1]\n",
          {UNWRITTEN,
           "",
           "o",
           9,
           -1,
           {0},
           1,
           "no program wrote 8 of the 16 elements of output o, i32[4,4]; the first is o[0, 1]; of "
           "its 4 blocks 4 are unwritten in part, the first of them (0, 0)"});
}
