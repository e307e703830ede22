/* debug_print as PTX: the interpreter's text, however many CTAs there are and however little room there was. */
#include <limits.h>

#include "gpu_backend/printed.h"
#include "lower/lower.h"
#include "base/text.h"
#include "tests/run_text.h"

static void take_text(void *context, const char *text) { tg_text_put(context, text); }

/* The caller frees the text. */
static char *printed_by(const tg_module *module, arrays *all, const char *backend,
                        const char *order)
{
    tg_text text = {0};
    const tg_run_options options = {.size = sizeof options,
                                    .order = order,
                                    .print = take_text,
                                    .context = &text,
                                    .backend = backend};
    tg_report_free(run_once(module, all, &options));
    return tg_text_finish(&text);
}

/* Each way of running prints what the interpreter prints; the outputs are as listed. */
static void expect_text(const char *kernel, const named *list, size_t least_bytes)
{
    static const struct {
        const char *backend, *order;
    } ways[] = {{"emulator", "sequential"},
                {"emulator:7", "sequential"},
                {"emulator", "parallel:2"},
                {"emulator:3", "parallel"}};
    tg_module *module = load_kernel(kernel);
    arrays all = make_arrays(module, list);
    char *want = printed_by(module, &all, NULL, "sequential");
    compare_arrays(&all, "interpreter");
    free_arrays(&all);
    cr_assert_geq(strlen(want), least_bytes, "%zu bytes", strlen(want));
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        all = make_arrays(module, list);
        char *got = printed_by(module, &all, ways[w].backend, ways[w].order);
        cr_assert_str_eq(got, want, "%s, %s", ways[w].backend, ways[w].order);
        compare_arrays(&all, ways[w].backend);
        free_arrays(&all);
        free(got);
    }
    free(want);
    tg_module_free(module);
}

/* Programs of a chain print one after the other, and chains in their order, though axis 0 is the inner one. */
Test(ptx_prints, in_the_order_of_the_grid)
{
    expect_text("grid 2a 3 2a\nbody\n%10:i32[] = program_id axis=0; %11:i32[] = program_id axis=1\n"
                "%12:i32[] = program_id axis=2; debug_print %10 %11 %12 format='{} {} {}'\n"
                "debug_print format='done'\n",
                NAMED({NULL, NULL}), 12 * 11);
}

/* In loops and branches, of each kind of carrier, scalars and blocks, constants and views, and blocks without
 * elements. */
Test(ptx_prints, values_of_every_kind)
{
    static const float x[16] = {1.5F, -0.0F, 3e-20F, 1e30F, 7, 8, 9};
    expect_text(
        "grid 3\ninput x f32[16]\nbody\n%10:f32[16] = load %1 [0:16]; %11:f32[4,4] = reshape %10\n"
        "%12:f32[4,4] = transpose %11 permutation=[1,0]; %13:f64[4,4] = convert %12\n"
        "%14:i8[4,4] = convert %11; %15:bool[4,4] = lt %11 %12; %16:f16[4,4] = convert %11\n"
        "%17:u64[] = constant value='18446744073709551615'; %18:i32[3] = constant value=[1,-2,3]\n"
        "%19:i32[0] = constant value=0; %20:bf16[2] = constant value='nan'; %21:u4[4,4] = convert "
        "%14\n"
        "%22:i16[4,4] = convert %14\n"
        "debug_print %11 %12 %13 format='{} {} {}'\n"
        "debug_print %14 %15 %16 %17 %18 %19 %20 %21 %22 format='{} {} {} {} {} {} {} {} {}'\n"
        "%30:i32[] = constant value=0; %31:i32[] = program_id axis=0; %32:i32[] = constant "
        "value=1\n"
        "for %30 %31 %32 { (%40:i32[])\n"
        "  %41:bool[] = eq %40 %30; switch %41 { debug_print %40 format='{:>8}' } "
        "{ debug_print %10 format='first {}' }\n"
        "}\n",
        NAMED({"x", x}), 1000);
}

/* What does not find room is printed all the same, by a run that begins with the arrays as they were: memory that an
 * output shares with an input is added to once. */
Test(ptx_prints, more_than_there_was_room_for)
{
    enum { N = 4096 };
    static int32_t x[N], y[N], undefined[N];
    for (int i = 0; i < N; i++) x[i] = i, y[i] = i + 1, undefined[i] = INT_MIN;
    expect_text(
        "grid 4\ninput x i32[4096] block b1024 at i\noutput y i32[4096] alias=x block b1024 at i\n"
        "output z i32[4096] block b1024 at i\nbody\n"
        "%10:i32[1024] = load %2 [0:1024]; %11:i32[1024] = constant value=1\n"
        "%12:i32[1024] = add %10 %11; store %2 %12 [0:1024]\n"
        "%13:i32[1024] = load %3 [0:1024]; store %3 %13 [0:1024]\n"
        "%14:i32[] = constant value=0; %15:i32[] = constant value=5; %16:i32[] = constant "
        "value=1\n"
        "for %14 %15 %16 { (%20:i32[]) debug_print %20 %12 %13 print_threshold=5000 "
        "format='{}: {} {}' }\n",
        NAMED({"x", x}, {"y", y}, {"z", undefined}), 4 * 5 * 2 * 1024 * 2);
}

/* An executable remembers how much room it took, and prints the same again. */
Test(ptx_prints, again_and_again)
{
    static int32_t x[2048];
    tg_text text = {0};
    size_t length = 0;
    tg_executable *exe;
    void *const data[] = {x};
    tg_module *module = load_kernel("grid 3\ninput x i32[2048]\nbody\n%10:i32[2048] = load %1 "
                                    "[0:2048]\ndebug_print %10 format='{}'\n");
    const tg_run_options options = {
        .size = sizeof options, .print = take_text, .context = &text, .backend = "emulator"};
    cr_assert_eq(tg_executable_new(module, NULL, &options, &exe, NULL), TG_OK);
    for (size_t i = 1; i <= 3; i++) {
        tg_report *report;
        cr_assert_eq(tg_executable_run(exe, data, NULL, 0, &report, NULL), TG_OK);
        tg_report_free(report);
        if (i == 1) length = text.length;
        cr_assert_gt(length, 0);
        cr_assert_eq(text.length, i * length, "%zu, not %zu times %zu", text.length, i, length);
    }
    tg_executable_free(exe);
    tg_module_free(module);
    tg_text_drop(&text);
}

/* Without anybody to print to, records are counted and dropped. */
Test(ptx_prints, to_nobody)
{
    static const int32_t o[3] = {0, 1, 2};
    tg_module *module =
        load_kernel("grid 3\noutput o i32[3] block b1 at i\nbody\n%10:i32[] = program_id axis=0; "
                    "debug_print %10 format='{}'\n%11:i32[1] = reshape %10; store %1 %11 [0:1]\n");
    arrays all = make_arrays(module, NAMED({"o", o}));
    const tg_run_options options = {.size = sizeof options, .backend = "emulator"};
    tg_report_free(run_once(module, &all, &options));
    compare_arrays(&all, "to nobody");
    free_arrays(&all);
    tg_module_free(module);
}

/* ---- records ---- */

typedef struct lines {
    int count;
    char last[64];
} lines;

static void count_line(void *context, const char *text)
{
    lines *l = context;
    l->count++;
    snprintf(l->last, sizeof l->last, "%s", text);
}

/* Bytes that are no records are told, not read beyond. */
Test(ptx_prints, records_are_checked)
{
    tg_module *module =
        load_kernel("grid 2a 3\nbody\n%10:i32[] = program_id axis=0; debug_print %10 "
                    "format='at {}'\n");
    tg_diags diags = {0};
    tg_plan *plan;
    tg_grid grid;
    cr_assert_eq(tg_plan_new(module, &module->kernels[0], &plan, &diags), TG_OK);
    cr_assert_eq(tg_grid_set(&module->kernels[0], NULL, &tg_setting_default, &grid, &diags), TG_OK);
    uint64_t number = 0;
    while (plan->body.list[number].kind != TG_I_PRINT) number++;
    /* programs by their place in the grid: (0, 1), then (1, 0), which comes first */
    const uint64_t good[] = {number, 1, 11, number, 3, 22};
    lines l = {0};
    const tg_ptx_records all_good = {plan, &grid, (const void *)good, sizeof good};
    cr_assert_eq(tg_ptx_print_records(&all_good, count_line, &l, &diags), TG_OK);
    cr_assert_eq(l.count, 2);
    cr_assert_str_eq(l.last, "at 11\n");
    const uint64_t bad[][3] = {{number, 6, 0}, {0, 0, 0}, {plan->body.count, 0, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const tg_ptx_records one = {plan, &grid, (const void *)bad[i], sizeof bad[i]};
        cr_assert_eq(tg_ptx_print_records(&one, count_line, &l, &diags), TG_ERR_INTERNAL,
                     "record %zu", i);
    }
    for (size_t less = 1; less < sizeof good / 2; less++) {
        const tg_ptx_records part = {plan, &grid, (const void *)good, sizeof good - less};
        cr_assert_eq(tg_ptx_print_records(&part, count_line, &l, &diags), TG_ERR_INTERNAL,
                     "%zu bytes less", less);
    }
    cr_assert_eq(l.count, 2, "nothing is printed of a list that is not whole");
    tg_plan_free(plan);
    tg_module_free(module);
    tg_diags_free(&diags);
}
