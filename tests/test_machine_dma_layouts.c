/* Copies beside the program whose sides have no strides: layouts, reshapes, elements of another width. */
#include "run_text.h"

#define SWIZZLED(id, of) "%" id ":ref<i32[8,8]>'Sw<2,1,2> o 64:1' = view_layout %" of "\n"

static int swizzled(int i) { return i ^ ((i >> 3 & 3) << 1); }

static void iota(int32_t *x, int count)
{
    for (int i = 0; i < count; i++) x[i] = i;
}

/* ---- copies that are awaited ---- */

/* Into memory of the program, read as it is, and from there through the same layout. */
Test(dma_layouts, into_and_out_of_swizzled_memory)
{
    static int32_t x[64], o[64];
    iota(x, 64);
    for (int i = 0; i < 64; i++) o[swizzled(i)] = i;
    expect("input x i32[8,8]\noutput o i32[64]\noutput p i32[8,8]\nscratch s i32[64]\nscratch d "
           "dma_sem[]\nbody\n" SWIZZLED("10",
                                        "4") "dma_start %1 %10 %5; dma_wait %10 %5\n"
                                             "%11:i32[64] = load %4 [0:64]; store %2 %11 [0:64]\n"
                                             "dma_start %10 %3 %5; dma_wait %3 %5\n",
           NAMED({"x", x}, {"o", o}, {"p", x}));
}

/* Blocks over the edge: what the source lacks is undefined, what the destination lacks is dropped. */
Test(dma_layouts, over_the_edge)
{
    static int32_t x[12], o[16], p[12];
    iota(x, 12);
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 8; i++) {
            const int at = b * 8 + (i ^ (i >> 2 & 1));
            o[b * 8 + i] = at < 12 ? x[at] : INT32_MIN;
        }
    for (int i = 0; i < 12; i++) p[i / 8 * 8 + (i % 8 ^ (i % 8 >> 2 & 1))] = x[i];
    expect(
        "grid 2\ninput x i32[12] block b8 at i\noutput o i32[16] block b8 at i\noutput p i32[12] "
        "block b8 at i\nscratch d dma_sem[]\nbody\n"
        "%10:ref<i32[8]>'Sw<1,0,2> o 8:1' = view_layout %1; dma_start %10 %2 %4; dma_wait %2 %4\n"
        "%11:ref<i32[8]>'Sw<1,0,2> o 8:1' = view_layout %3; dma_start %1 %11 %4; dma_wait %11 "
        "%4\n",
        NAMED({"x", x}, {"o", o}, {"p", p}));
}

/* A block whose rows are joined, bytes as words, and parts whose length is known at run time. */
Test(dma_layouts, other_references_without_strides)
{
    static int32_t x[12], o[8], n[1] = {3};
    static uint8_t bytes[16], words[16];
    iota(x, 12);
    for (int i = 0; i < 8; i++) o[i] = x[i / 4 * 6 + i % 4];
    expect("input x i32[2,6] block b2 b4\noutput o i32[8]\nscratch d dma_sem[]\nbody\n"
           "%10:ref<i32[8]> = view_reshape %1; dma_start %10 %2 %3; dma_wait %2 %3\n",
           NAMED({"x", x}, {"o", o}));
    for (int i = 0; i < 16; i++) bytes[i] = (uint8_t)(i * 3);
    for (int i = 0; i < 16; i++) words[i] = bytes[i % 4 * 4 + i / 4];
    expect("input x u8[4,4]\noutput o i32[1,4]\nscratch d dma_sem[]\nbody\n"
           "%10:ref<i32[1,4]> = view_bitcast %1; dma_start %10 %2 %3; dma_wait %10 %3\n",
           NAMED({"x", bytes}, {"o", words}));
    for (int i = 0; i < 8; i++) o[i] = i < 3 ? x[(i + 2) ^ ((i + 2) >> 1 & 1)] : 0;
    expect("prefetch n i32[1]\ninput x i32[12]\ninput y i32[8]\noutput o i32[8] alias=y\nscratch d "
           "dma_sem[]\nbody\n%9:i32[] = constant value=0; %8:i32[] = load %1 %9 [@]\n"
           "%10:ref<i32[12]>'Sw<1,0,1> o 12:1' = view_layout %2; %11:ref<i32[8]> = view %10 [2:8]\n"
           "%12:ref<i32[8]> = view_part %11 %9 %8; %13:ref<i32[8]> = view_part %4 %9 %8\n"
           "dma_start %12 %13 %5; dma_wait %12 %5\n",
           NAMED({"n", n}, {"x", x}, {"y", (int32_t[8]){0}}, {"o", o}));
}

/* All is read before anything is written. */
Test(dma_layouts, a_permutation_in_place)
{
    static int32_t x[64], o[64];
    iota(x, 64);
    for (int i = 0; i < 64; i++) o[swizzled(i)] = i;
    expect("input x i32[8,8]\noutput o i32[8,8] alias=x\nscratch d dma_sem[]\nbody\n" SWIZZLED(
               "10", "2") "dma_start %2 %10 %3; dma_wait %2 %3\n",
           NAMED({"x", x}, {"o", o}));
}

/* ---- what is touched in flight ---- */

#define IN_FLIGHT(access)                                                                          \
    "input x i32[4,4]\noutput o i32[16]\noutput p i32[16]\nscratch d dma_sem[]\nbody\n"            \
    "%9:i32[16] = constant value=0; store %3 %9 [0:16]; store %2 %9 [0:16]\n"                      \
    "%10:ref<i32[4,4]>'(4,4):(1,4)' = view_layout %2; %11:ref<i32[2,4]> = view %10 [2:2,0:4]\n"    \
    "%12:ref<i32[2,4]>'(2,4):(-1,-2) + 7' = view_layout %11; %13:ref<i32[2,4]> = view %1 "         \
    "[0:2,0:4]\ndma_start %13 %12 %4 loc=2\n" access "dma_wait %13 %4 loc=4\n"

static void check_in_flight(const char *kernel, const char *wanted, int64_t first)
{
    tg_module *module = load_kernel(kernel);
    for (int o = 0; o < ORDERS; o++) {
        arrays all = make_arrays(module, NAMED({"x", (int32_t[16]){0}}));
        const tg_run_options options = {.size = sizeof options, .order = every_order[o]};
        tg_report *report = run_once(module, &all, &options);
        cr_assert_eq(tg_report_finding_count(report), wanted ? 1 : 0, "%s", every_order[o]);
        if (wanted) {
            const tg_finding f = tg_report_finding(report, 0);
            cr_assert_str_eq(f.kind, "dma-in-flight");
            cr_assert_str_eq(f.message, wanted, "%s", f.message);
            cr_assert_eq(f.first, first, "%d", (int)f.first);
        }
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* Of each four elements the copy writes the last two. */
Test(dma_layouts, accesses_beside_a_copy)
{
    check_in_flight(IN_FLIGHT("%14:i32[2] = load %2 [4:2] loc=3; store %3 %14 [0:2]\n"), NULL, 0);
    check_in_flight(
        IN_FLIGHT("%14:i32[3] = load %2 [4:3] loc=3; store %3 %14 [0:3]\n"),
        "load reads o[6], which a copy may still be writing: no wait has made sure of it", 6);
    check_in_flight(
        IN_FLIGHT("%14:i32[1,1] = load %12 [1:1,3:1] loc=3; %15:i32[1] = reshape %14; store %3 %15 "
                  "[0:1]\n"),
        "load reads o[2], which a copy may still be writing: no wait has made sure of it", 2);
}

/* ---- checks ---- */

/* Undefined elements go with the copy, and to where it puts them. */
Test(dma_layouts, undefined_elements)
{
    tg_module *module = load_kernel(
        "input x i32[8]\noutput o i32[8]\nscratch s i32[8]\nscratch d dma_sem[]\nbody\n"
        "%9:i32[8] = load %1 [0:8]; %8:i32[4] = constant value=1; store %3 %8 [0:4]\n"
        "%10:ref<i32[8]>'Sw<1,0,2> o 8:1' = view_layout %2; dma_start %3 %10 %4; dma_wait %10 %4\n"
        "%11:i32[1] = load %2 [3:1] loc=5; %12:i32[] = reshape %11; %13:i32[4] = load %1 %12 [*:4] "
        "loc=6\n%14:i32[1] = load %2 [5:1] loc=7; %15:i32[] = reshape %14; %16:i32[1] = load %1 "
        "%15 "
        "[*:1] loc=8\nstore %2 %16 [0:1]; store %2 %13 [1:4]\n");
    arrays all = make_arrays(module, NAMED({"x", (int32_t[8]){0}}));
    const tg_run_options options = {.size = sizeof options, .checks = "undefined"};
    tg_report *report = run_once(module, &all, &options);
    int at_6 = 0, at_8 = 0;
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        at_6 += f.line == 6 && strstr(f.kind, "undefined") != NULL;
        at_8 += f.line == 8 && strstr(f.kind, "undefined") != NULL;
    }
    if (at_6 || !at_8) show_findings(report);
    cr_assert(at_8 && !at_6);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}
