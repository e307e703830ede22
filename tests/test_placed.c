/* Groups that work where layouts have placed their blocks: which ones do, and that no value changes. */
#include "check_text.h"
#include "lower/lower.h"
#include "plan/print.h"

/* Elements of 32 in chunks of four, which change places within rows of 32. */
#define A "'Sw<2,2,2> o 64:1'"
#define B "'Sw<1,2,2> o 64:1'"
#define MEMORY(ref, layout)                                                                        \
    "%1" ref ":ref<i32[64]> = alloc; %2" ref ":ref<i32[64]>" layout " = view_layout %1" ref "\n"
#define ARRAYS "input x i32[64]\ninput y i32[64]\noutput o i32[64]\noutput p i32[64]\nbody\n"
#define ALL "[0:64]"

/* x and y in memory 0 and 1, by these layouts; memory 2 and 3 are as well. */
#define PLACED(x, y, two, three)                                                                   \
    ARRAYS MEMORY("0", x) MEMORY("1", y) MEMORY("2", two)                                          \
        MEMORY("3", three) "%30:i32[64] = load %1 " ALL "; store %20 %30 " ALL                     \
                           "; %31:i32[64] = load %2 " ALL "; store %21 %31 " ALL "\n"
#define LOADS "%40:i32[64] = load %20 " ALL "; %41:i32[64] = load %21 " ALL "\n"
#define COPY(from, to)                                                                             \
    "%5" to ":i32[64] = load %2" from " " ALL "; store %" to " %5" to " " ALL "\n"

static int32_t x[64], y[64], o[64], p[64];

static void fill(void)
{
    for (int i = 0; i < 64; i++) {
        x[i] = i;
        y[i] = 1000 * (i % 7);
        o[i] = x[i] + y[i];
        p[i] = x[i] - o[i];
    }
}

/* How many groups of the kernel's plan work where their blocks are placed. */
static int count_placed(const char *text)
{
    static const char said[] = ", where they are placed\n";
    tg_module *module = load_kernel(text);
    tg_diags diags = {0};
    tg_plan *plan;
    cr_assert_eq(tg_plan_new(module, &module->kernels[0], &plan, &diags), TG_OK);
    char *printed = tg_print_plan(plan);
    int count = 0;
    for (const char *at = printed; (at = strstr(at, said)); at++) count++;
    free(printed);
    tg_plan_free(plan);
    tg_module_free(module);
    return count;
}

/* With a check that looks at elements of ops. */
static void expect_in_order(const char *text)
{
    const tg_run_options options = {.size = sizeof options, .checks = "undefined"};
    tg_module *module = load_kernel(text);
    arrays all = make_arrays(module, NAMED({"x", x}, {"y", y}, {"o", o}, {"p", p}));
    tg_report *report = run_once(module, &all, &options);
    cr_assert_eq(tg_report_finding_count(report), 0, "%s", text);
    compare_arrays(&all, text);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

/* Runs it in every order, on every instruction set, as PTX, and with elements in order. */
static void expect_placed(const char *text, int groups)
{
    cr_expect_eq(count_placed(text), groups, "%d groups, not %d: %s", count_placed(text), groups,
                 text);
    expect(text, NAMED({"x", x}, {"y", y}, {"o", o}, {"p", p}));
    expect_in_order(text);
}

#define SUM LOADS "%42:i32[64] = add %40 %41; store %22 %42 " ALL "\n"
#define DIFFERENCE                                                                                 \
    "%43:i32[64] = load %20 " ALL "; %44:i32[64] = load %22 " ALL                                  \
    "; %45:i32[64] = sub %43 %44; store %23 %45 " ALL "\n"

/* ---- which groups ---- */

Test(placed, blocks_that_are_placed_alike)
{
    fill();
    expect_placed(PLACED(A, A, A, A) SUM DIFFERENCE COPY("2", "3") COPY("3", "4"), 2);
    expect_placed(PLACED("'64:1'", "'64:1'", "'64:1'", "'64:1'") SUM DIFFERENCE COPY("2", "3")
                      COPY("3", "4"),
                  0); /* computed right in the memory, as ever */
}

/* What goes into one layout is read through another one. */
Test(placed, blocks_that_are_placed_otherwise)
{
    fill();
    expect_placed(PLACED(A, B, A, A) SUM DIFFERENCE COPY("2", "3") COPY("3", "4"), 1);
    expect_placed(PLACED(A, A, B, A) SUM DIFFERENCE COPY("2", "3") COPY("3", "4"), 0);
    expect_placed(PLACED(A, A, A, B) SUM DIFFERENCE COPY("2", "3") COPY("3", "4"), 1);
}

/* The memory shows where the elements are, through another layout. */
Test(placed, memory_has_the_elements_where_they_are_placed)
{
    int32_t sums[64];
    fill();
    memcpy(sums, o, sizeof sums);
    for (int i = 0; i < 64; i++) o[i ^ ((i >> 4 & 3) << 2)] = sums[i];
    expect_placed(PLACED(A, A, A, A) SUM "%53:i32[64] = load %12 " ALL "; store %3 %53 " ALL
                                         "\n" DIFFERENCE COPY("3", "4"),
                  2);
}

Test(placed, constants_and_scalars)
{
    fill();
    for (int i = 0; i < 64; i++) p[i] = 7 + 3 * (o[i] = x[i] + 5);
    expect_placed(
        PLACED(A, A, A,
               A) "%40:i32[64] = load %20 " ALL
                  "; %41:i32[64] = constant value=5; %42:i32[64] = add %40 %41; store %22 %42 " ALL
                  "; %43:i32[64] = load %22 " ALL
                  "; %44:i32[] = constant value=3; %45:i32[64] = broadcast_in_dim %44 dims=[]; "
                  "%46:i32[64] = constant value=7; %47:i32[64] = mul %43 %45; %48:i32[64] = add "
                  "%46 %47; "
                  "store %23 %48 " ALL "\n" COPY("2", "3") COPY("3", "4"),
        2);
}

/* ---- what depends on the order of elements, or on the moment ---- */

Test(placed, elements_that_differ_by_their_number)
{
    fill();
    for (int i = 0; i < 64; i++) o[i] = x[i] + i * i, p[i] = x[63 - i] + y[i];
    expect_placed(
        PLACED(A, A, A, A) LOADS
        "%42:i32[64] = iota axis=0; %43:i32[64] = mul %42 %42; %44:i32[64] = add %40 %43; "
        "store %22 %44 " ALL "; %45:i32[64] = rev %40 axes=[0]; %46:i32[64] = add %45 %41; "
        "store %23 %46 " ALL "\n" COPY("2", "3") COPY("3", "4"),
        0);
}

/* Half of a block is at the start of it only in row-major order. */
Test(placed, parts_of_blocks)
{
    fill();
    memcpy(p, y, sizeof p);
    for (int i = 0; i < 64; i++) o[i] = i < 32 ? 2 * x[i] : y[i];
    expect_placed(PLACED(A, A, A, A) LOADS
                  "store %22 %41 " ALL "; %42:i32[32] = slice %40 start=[0] stride=[1]; "
                  "%43:i32[32] = add %42 %42; store %22 %43 [0:32]\n" COPY("2", "3") COPY("1", "4"),
                  0);
}

Test(placed, memory_that_changes_before_the_group)
{
    fill();
    memcpy(p, y, sizeof p);
    expect_placed(PLACED(A, A, A, A) LOADS "store %20 %31 " ALL
                                           "; %42:i32[64] = add %40 %41; store %22 %42 " ALL
                                           "\n" COPY("2", "3") COPY("0", "4"),
                  0);
}

Test(placed, memory_that_the_group_writes_over)
{
    fill();
    memcpy(p, o, sizeof p);
    expect_placed(PLACED(A, A, A, A) LOADS "%42:i32[64] = add %40 %41; store %20 %42 " ALL
                                           "\n" COPY("0", "3") COPY("0", "4"),
                  0);
}

Test(placed, values_that_are_used_again)
{
    fill();
    for (int i = 0; i < 64; i++) p[i] = o[i] * x[i];
    expect_placed(PLACED(A, A, A, A) SUM "%43:i32[64] = mul %42 %40; store %23 %43 " ALL
                                         "\n" COPY("2", "3") COPY("3", "4"),
                  0);
}

Test(placed, masks_and_old_values)
{
    fill();
    for (int i = 0; i < 64; i++) o[i] = i % 2 ? o[i] : 9, p[i] = y[i];
    expect_placed(PLACED(A, A, A, A) LOADS
                  "%42:i32[64] = constant value=9; store %22 %42 " ALL
                  "; %43:i32[64] = iota axis=0; %44:i32[64] = constant value=1; %45:i32[64] = and "
                  "%43 %44; %46:bool[64] = eq %45 %44; %47:i32[64] = add %40 %41; store %22 %47 "
                  "%46 " ALL " mask=true\n" COPY("2", "3") COPY("1", "4"),
                  0);
}

/* Each turn has other memory contents; slots that loops carry exchange theirs. */
Test(placed, loops)
{
    fill();
    for (int i = 0; i < 64; i++) o[i] = x[i] + 5 * y[i], p[i] = y[i];
    expect_placed(PLACED(A, A, A, A) "%60:i32[] = constant value=0; %61:i32[] = constant value=5; "
                                     "%62:i32[] = constant value=1\n"
                                     "for %60 %61 %62 { (%63:i32[])\n" SUM
                                     "%64:i32[64] = load %22 " ALL "; store %20 %64 " ALL
                                     "\n}\n" COPY("0", "3") COPY("1", "4"),
                  1);
}

/* The condition, which is tested twice, has the sum of what was loaded before the loop. */
Test(placed, loads_before_a_loop)
{
    fill();
    memcpy(p, y, sizeof p);
    expect_placed(
        PLACED(A, A, A,
               A) "%70:ref<i32[1]> = alloc; %71:i32[1] = constant value=0; store %70 %71 [0:1]; "
                  "%72:i32[1] = constant value=1; %73:i32[] = constant value=0; "
                  "%74:i32[] = constant value=1\n" LOADS
                  "while { %42:i32[64] = add %40 %41; store %22 %42 " ALL
                  "; %75:i32[] = load %70 %73 [@]; %76:bool[] = lt %75 %74; yield %76 } "
                  "{ store %20 %31 " ALL "; store %70 %72 [0:1]; yield }\n" COPY("2", "3")
                      COPY("0", "4"),
        0);
}

/* Registers that a copy brings something to have it when they are loaded. */
Test(placed, copies_to_registers)
{
    fill();
    for (int i = 0; i < 64; i++) o[i] = 2 * x[i], p[i] = x[i];
    expect_placed(
        PLACED(A, A, A, A) "dma_start %20 %21 registers='target'; "
                           "dma_commit registers='target'\n" SUM "%60:i32[] = constant value=0; "
                           "dma_wait_groups %60 registers='target'\n" COPY("2", "3") COPY("1", "4"),
        0);
}

#define UNDEFINED(output)                                                                          \
    "error undefined-output store 0 () " output                                                    \
    "[40..63]: program () leaves an undefined value in " output                                    \
    "[40]: it comes from scoped memory, which no program had written; 24 elements in all | read "  \
    "by load 0 | stored by store 0 | computed by add 0 | read by load 0 | comes from alloc 0"

/* Elements of memory that nobody has written, wherever they are. */
Test(placed, findings_name_elements_as_ever)
{
    fill();
    check_lines(ARRAYS MEMORY("0", A) MEMORY("1", A) MEMORY(
                    "2", A) "%30:i32[64] = load %1 " ALL "; store %20 %30 " ALL
                            "; %31:i32[40] = load %2 [0:40]; store %21 %31 [0:40]\n" SUM COPY(
                                "2", "3") COPY("2", "4"),
                NAMED({"x", x}, {"y", y}), &(tg_run_options){.checks = "undefined"},
                LINES(UNDEFINED("o"), UNDEFINED("p")));
}
