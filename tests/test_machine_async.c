/* Copies that a barrier tells of, and groups of copies. */
#include "run_findings.h"

static const int32_t x[4] = {1, 2, 3, 4}, twice[4] = {2, 4, 6, 8}, zeros[4];

/* ---- copies that a barrier tells of ---- */

#define THROUGH(ops)                                                                               \
    "input x i32[4]\noutput o i32[4]\nscratch s i32[4]\nscratch b barrier[] arrivals=1\nbody\n"    \
    "%5:i32[] = constant value=0; %6:i32[] = constant value=1\n" ops

Test(machine_async, a_phase_lasts_until_the_copy_has_taken_place)
{
    expect_findings(THROUGH("dma_start %1 %3 %4 loc=1; barrier_arrive %4 loc=2\n"
                            "barrier_wait %4 loc=3; %10:i32[4] = load %3 [0:4]\n"
                            "%11:i32[4] = add %10 %10; store %2 %11 [0:4]\n"),
                    NAMED({"x", x}, {"o", twice}), "");
}

Test(machine_async, several_copies_of_a_phase)
{
    expect_findings(THROUGH("%10:ref<i32[2]> = view %1 [0:2]; %11:ref<i32[2]> = view %1 [2:2]\n"
                            "%12:ref<i32[2]> = view %3 [0:2]; %13:ref<i32[2]> = view %3 [2:2]\n"
                            "dma_start %10 %12 %4 loc=1; dma_start %11 %13 %4 loc=2\n"
                            "barrier_arrive %4 loc=3; barrier_wait %4 loc=4\n"
                            "%20:i32[4] = load %3 [0:4]; store %2 %20 [0:4]\n"),
                    NAMED({"x", x}, {"o", x}), "");
}

Test(machine_async, without_the_wait_the_copy_is_in_flight)
{
    expect_findings(THROUGH("dma_start %1 %3 %4 loc=1; barrier_arrive %4 loc=2\n"
                            "%10:i32[4] = load %3 [0:4] loc=3; %11:i32[4] = constant value=0\n"
                            "store %2 %11 [0:4]; barrier_wait %4 loc=5\n"),
                    NAMED({"x", x}, {"o", zeros}), "dma-in-flight@3");
}

Test(machine_async, without_the_arrival_the_wait_never_ends)
{
    expect_findings(THROUGH("dma_start %1 %3 %4 loc=1; %10:i32[4] = constant value=0\n"
                            "store %2 %10 [0:4]; barrier_wait %4 loc=2\n"),
                    NAMED({"x", x}, {"o", zeros}), "deadlock@2");
}

Test(machine_async, nobody_waits_for_the_phase)
{
    expect_findings(THROUGH("dma_start %1 %3 %4 loc=1; barrier_arrive %4 loc=2\n"
                            "%10:i32[4] = constant value=0; store %2 %10 [0:4]\n"),
                    NAMED({"x", x}, {"o", zeros}), "dma-not-awaited@1");
}

Test(machine_async, one_arrival_too_many)
{
    expect_findings(THROUGH("dma_start %1 %3 %4 loc=1; barrier_arrive %4 loc=2\n"
                            "barrier_arrive %4 loc=3; barrier_wait %4 loc=4\n"
                            "%10:i32[4] = load %3 [0:4]; store %2 %10 [0:4]\n"),
                    NAMED({"x", x}, {"o", x}), "barrier-overrun@3");
}

/* ---- copies of values ---- */

#define OF_VALUE(ops, after)                                                                       \
    THROUGH("%10:i32[4] = load %1 [0:4]; %11:i32[4] = add %10 %10\n" ops                           \
            "barrier_arrive %4 loc=2; " after "barrier_wait %4 loc=4\n"                            \
            "%20:i32[4] = load %3 [0:4]; store %2 %20 [0:4] loc=5\n")

/* The value is that of the start, even if what it was made of changes. */
Test(machine_async, a_copy_of_a_value)
{
    expect_findings(OF_VALUE("dma_start %11 %3 %4 loc=1;", ""), NAMED({"x", x}, {"o", twice}), "");
    expect_findings(
        THROUGH("%12:i32[4] = constant value=0; store %3 %12 [0:4]; %10:i32[4] = load %1 [0:4]\n"
                "%11:i32[4] = add %10 %10; dma_start %11 %3 kind='max'; dma_commit\n"
                "dma_wait_groups %5; %20:i32[4] = load %3 [0:4]; store %2 %20 [0:4]\n"),
        NAMED({"x", x}, {"o", twice}), "");
}

Test(machine_async, a_copy_of_a_value_is_in_flight)
{
    expect_findings(OF_VALUE("dma_start %11 %3 %4 loc=1;",
                             "%15:i32[4] = load %3 [0:4] loc=3; %16:bool[4] = eq %15 %15;"),
                    NAMED({"x", x}, {"o", twice}), "dma-in-flight@3");
}

/* One element is undefined, and goes with the others. */
Test(machine_async, a_copy_of_a_value_that_is_undefined)
{
    static const int32_t first[4] = {2, 4, 6, INT32_MIN};
    expect_findings(
        THROUGH("%10:i32[4] = load %1 [0:4]; %11:i32[4] = add %10 %10; %12:i32[4] = constant "
                "value=[1,1,1,0]\n%13:i32[4] = constant value=1; %14:bool[4] = eq %12 %13\n"
                "%15:i32[4] = undefined loc=7; %16:i32[4] = select %14 %15 %11\n"
                "dma_start %16 %3 %4 loc=1; barrier_arrive %4; barrier_wait %4\n"
                "%20:i32[4] = load %3 [0:4]; store %2 %20 [0:4] loc=5\n"),
        NAMED({"x", x}, {"o", first}), "undefined-output@5");
}

/* ---- copies whose bytes the barrier is told to expect ---- */

/* The first of two threads expects `bytes` and waits; the second one copies 16 bytes, for the barrier of
 * the first one. */
#define EXPECTS(bytes, copies)                                                                     \
    "grid 2t\ninput x i32[4]\noutput o i32[4]\nscratch s i32[4]\nscratch b barrier[] arrivals=1\n" \
    "body\n%10:i32[] = program_id axis=0; %11:i32[] = constant value=" bytes                       \
    "\nswitch %10 { barrier_expect %4 %11; barrier_arrive %4 loc=2; barrier_wait %4 loc=3\n"       \
    "%12:i32[4] = load %3 [0:4] loc=4; store %2 %12 [0:4]; yield } { " copies " yield }\n"

Test(machine_async, a_phase_lasts_until_the_expected_bytes_have_come)
{
    expect_findings(EXPECTS("16", "dma_start %1 %3 %4 expected=true loc=1;"),
                    NAMED({"x", x}, {"o", x}), "");
    expect_findings(
        EXPECTS("16", "%20:ref<i32[2]> = view %1 [0:2]; %21:ref<i32[2]> = view %1 [2:2]\n"
                      "%22:ref<i32[2]> = view %3 [0:2]; %23:ref<i32[2]> = view %3 [2:2]\n"
                      "dma_start %20 %22 %4 expected=true; dma_start %21 %23 %4 expected=true;"),
        NAMED({"x", x}, {"o", x}), "");
}

static void expect_text(const char *kernel, const char *wanted)
{
    tg_module *module = load_kernel(kernel);
    for (int o = 0; o < ORDERS; o++) {
        const tg_run_options options = {.size = sizeof options, .order = every_order[o]};
        arrays all = make_arrays(module, NAMED({"x", x}));
        tg_report *report = run_once(module, &all, &options);
        bool is_told = false;
        for (size_t i = 0; i < tg_report_finding_count(report); i++)
            is_told |= strstr(tg_report_finding(report, i).message, wanted) != NULL;
        if (!is_told) show_findings(report);
        cr_assert(is_told, "%s", every_order[o]);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

Test(machine_async, other_bytes_than_expected)
{
    expect_text(
        EXPECTS("32", "dma_start %1 %3 %4 expected=true;"),
        "1 of 1 arrivals have come, copies brought 16 bytes less than expected, and nobody");
    expect_text(EXPECTS("12", "dma_start %1 %3 %4 expected=true;"),
                "1 of 1 arrivals have come, copies brought 4 bytes more than expected, and nobody");
    expect_text(EXPECTS("16", ""), "copies brought 16 bytes less than expected");
}

/* The bytes of a step of the `arbitrary` axis are not those of the next one, nor of another program. */
Test(machine_async, each_chain_expects_its_own_bytes)
{
    expect_findings(
        "grid 3p 2t\ninput x i32[4]\noutput o i32[3,4]\nscratch s i32[4]\nscratch b barrier[] "
        "arrivals=1\nbody\n%9:i32[] = program_id axis=0; %10:i32[] = program_id axis=1\n"
        "%11:i32[] = constant value=16\n"
        "switch %10 { barrier_expect %4 %11; barrier_arrive %4; barrier_wait %4\n"
        "%12:i32[4] = load %3 [0:4]; store %2 %12 %9 [@,0:4]; yield } "
        "{ dma_start %1 %3 %4 expected=true; yield }\n",
        NAMED({"x", x}, {"o", (int32_t[3][4]){{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}}), "");
}

/* ---- groups ---- */

#define FILLED                                                                                     \
    "%10:i32[4] = load %1 [0:4]; store %3 %10 [0:4]; %11:i32[4] = constant value=0; proxy_fence\n"

Test(machine_async, a_group_is_closed_and_awaited)
{
    expect_findings(THROUGH(FILLED "dma_start %3 %2 loc=1; dma_commit; dma_wait_groups %5 loc=2\n"
                                   "store %3 %11 [0:4] loc=3\n"),
                    NAMED({"x", x}, {"o", x}), "");
}

Test(machine_async, a_source_may_be_overwritten_once_it_is_read)
{
    expect_findings(
        THROUGH(FILLED "dma_start %3 %2 loc=1; dma_commit; dma_wait_groups %5 reads=true loc=2\n"
                       "store %3 %11 [0:4] loc=3\n"),
        NAMED({"x", x}, {"o", x}), "");
}

/* In sequential order the copy reads as late as may be: it has what was written behind it. */
Test(machine_async, a_source_is_overwritten_while_it_is_read)
{
    const char *const kernel =
        THROUGH(FILLED "dma_start %3 %2 loc=1; dma_commit; store %3 %11 [0:4] loc=2\n"
                       "dma_wait_groups %5 loc=3\n");
    tg_module *module = load_kernel(kernel);
    expect_in(module, NAMED({"x", x}, {"o", zeros}), "sequential", "dma-in-flight@2");
    expect_in(module, NAMED({"x", x}, {"o", x}), "reversed", "dma-in-flight@2");
    tg_module_free(module);
}

/* Also where the copy wrote at once, as in reversed order. */
Test(machine_async, another_thread_reads_what_may_be_written_behind_the_wait_for_reads)
{
    expect_findings(
        "grid 2t\ninput x i32[4]\noutput o i32[4]\nscratch s i32[4]\n"
        "scratch b barrier[] arrivals=1\nbody\n"
        "%10:i32[] = program_id axis=0; %11:i32[] = constant value=0\n"
        "switch %10 { dma_start %1 %3 loc=1; dma_commit; dma_wait_groups %11 reads=true\n"
        "barrier_arrive %4; yield } { barrier_wait %4\n"
        "%12:i32[4] = load %3 [0:4] loc=2; store %2 %12 [0:4]; yield }\n",
        NAMED({"x", x}, {"o", NULL}), "race@1");
}

Test(machine_async, an_open_group_is_not_awaited)
{
    expect_findings(THROUGH(FILLED "dma_start %3 %2 loc=1; dma_wait_groups %5 loc=2\n"),
                    NAMED({"x", x}, {"o", x}), "dma-not-awaited@1");
}

Test(machine_async, an_empty_group_counts)
{
    expect_findings(THROUGH(FILLED "dma_start %3 %2 loc=1; dma_commit; dma_commit\n"
                                   "dma_wait_groups %6 loc=2; store %3 %11 [0:4] loc=3\n"),
                    NAMED({"x", x}, {"o", x}), "");
}

Test(machine_async, the_newest_group_is_not_awaited)
{
    expect_findings(THROUGH(FILLED
                            "%20:ref<i32[2]> = view %2 [0:2]; %21:ref<i32[2]> = view %2 [2:2]\n"
                            "%22:ref<i32[2]> = view %3 [0:2]; %23:ref<i32[2]> = view %3 [2:2]\n"
                            "%24:i32[2] = constant value=0\n"
                            "dma_start %22 %20 loc=1; dma_commit\n"
                            "dma_start %23 %21 loc=2; dma_commit\n"
                            "dma_wait_groups %6 reads=true loc=3\n"
                            "store %22 %24 [0:2] loc=4; dma_wait_groups %5 reads=true\n"),
                    NAMED({"x", x}, {"o", x}), "");
}

/* What is outside the array is 0, and defined. */
Test(machine_async, zeros_outside)
{
    static const int32_t o[4] = {3, 4, 0, 0};
    expect_findings("input x i32[4]\noutput o i32[4]\nscratch s i32[4]\n"
                    "scratch b barrier[] arrivals=1\nbody\n"
                    "%5:i32[] = constant value=2; %6:i32[] = constant value=4\n"
                    "%7:ref<i32[4]> = view_part %1 %5 %6 beyond=[2]\n"
                    "dma_start %7 %3 %4 outside='zero'; barrier_arrive %4; barrier_wait %4\n"
                    "%10:i32[4] = load %3 [0:4]; store %2 %10 [0:4]\n",
                    NAMED({"x", x}, {"o", o}), "");
}

/* ---- threads ---- */

/* Thread 0 brings two blocks to one slot, thread 1 doubles them; `free` tells that the slot may be
 * overwritten. */
#define PIPELINE(free)                                                                             \
    "grid 2t\ninput x i32[4]\noutput o i32[4]\nscratch s i32[2]\n"                                 \
    "scratch ready barrier[] arrivals=1\nscratch free barrier[] arrivals=1\nbody\n"                \
    "%10:i32[] = program_id axis=0; %11:i32[] = constant value=0\n"                                \
    "%12:i32[] = constant value=2; %13:i32[] = constant value=1\n"                                 \
    "switch %10 { for %11 %12 %13 { (%20:i32[]) %21:i32[] = mul %20 %12\n"                         \
    "%22:ref<i32[2]> = view %1 %21 [*:2]\n"                                                        \
    "dma_start %22 %3 %4 loc=1; barrier_arrive %4 loc=2\n" free                                    \
    " yield }; yield } { for %11 %12 %13 { (%30:i32[]) %31:i32[] = mul %30 %12\n"                  \
    "barrier_wait %4 loc=4; %32:i32[2] = load %3 [0:2] loc=5; %33:i32[2] = add %32 %32\n"          \
    "store %2 %33 %31 [*:2] loc=6; barrier_arrive %5 loc=7; yield }; yield }\n"

/* Thread 0 copies out, waits and tells thread 1, which reads what was copied, and stores over the source.
 * That a copy has read its source does not mean that it has written, in whatever order. */
Test(machine_async, what_another_thread_knows_of_a_copy_that_has_read)
{
#define TOLD_BY(wait)                                                                              \
    "grid 2t\ninput x i32[4]\noutput o i32[4]\noutput y i32[4]\nscratch s i32[4]\n"                \
    "scratch b barrier[] arrivals=1\nbody\n"                                                       \
    "%10:i32[] = program_id axis=0; %11:i32[] = constant value=0\n"                                \
    "switch %10 { %20:i32[4] = load %1 [0:4]; store %4 %20 [0:4]; dma_start %4 %2 loc=1\n"         \
    "dma_commit; " wait " barrier_arrive %5; dma_wait_groups %11; yield } {\n"                     \
    "barrier_wait %5; %30:i32[4] = load %2 [0:4] loc=2; store %3 %30 [0:4]\n"                      \
    "store %4 %30 [0:4] loc=3; yield }\n"
    static const int32_t *const any = NULL;
    for (int o = 0; o < ORDERS; o++) {
        tg_module *module = load_kernel(TOLD_BY("dma_wait_groups %11 reads=true;"));
        const tg_run_options options = {
            .size = sizeof options, .order = every_order[o], .checks = "races"};
        arrays all = make_arrays(module, NAMED({"x", x}, {"o", any}, {"y", any}));
        tg_report *report = run_once(module, &all, &options);
        char *found = findings_text(report);
        cr_expect_str_eq(found, "race@1", "%s: %s", every_order[o], found);
        free(found);
        tg_report_free(report);
        free_arrays(&all);
        tg_module_free(module);
    }
    expect_findings(TOLD_BY("dma_wait_groups %11;"), NAMED({"x", x}, {"o", x}, {"y", x}), "");
}

/* Another thread lets the copy take place; the source is scoped memory of the one that has started it. */
Test(machine_async, from_scoped_memory_of_another_thread)
{
    expect_findings("grid 2t\ninput x i32[4]\noutput o i32[4]\nscratch s i32[4]\n"
                    "scratch b barrier[] arrivals=1\nscratch done barrier[] arrivals=1\nbody\n"
                    "%10:i32[] = program_id axis=0\n"
                    "switch %10 { scoped { (%20:ref<i32[4]>) %21:i32[4] = load %1 [0:4]\n"
                    "store %20 %21 [0:4]; dma_start %20 %3 %4; barrier_arrive %4\n"
                    "barrier_wait %5; yield }; yield } {\n"
                    "barrier_wait %4; %30:i32[4] = load %3 [0:4]; store %2 %30 [0:4]\n"
                    "barrier_arrive %5; yield }\n",
                    NAMED({"x", x}, {"o", x}), "");
}

/* Another thread lets the copy take place, which has never made the view that it goes to. */
Test(machine_async, to_a_view_of_another_thread)
{
    expect_findings(
        "grid 2t\ninput x i32[4]\noutput o i32[4]\nscratch s i32[2,4]\n"
        "scratch b barrier[] arrivals=1\nbody\n"
        "%10:i32[] = program_id axis=0; %11:i32[] = constant value=1\n"
        "switch %10 { %20:ref<i32[4]> = view %3 %11 [@,0:4]\n"
        "dma_start %1 %20 %4; barrier_arrive %4; yield } {\n"
        "barrier_wait %4; %30:i32[4] = load %3 %11 [@,0:4]; store %2 %30 [0:4]; yield }\n",
        NAMED({"x", x}, {"o", x}), "");
}

Test(machine_async, a_pipeline_of_two_threads)
{
    expect_findings(PIPELINE("barrier_wait %5 loc=3;"), NAMED({"x", x}, {"o", twice}), "");
}

Test(machine_async, a_slot_is_refilled_before_it_is_free)
{
    tg_module *module = load_kernel(PIPELINE(""));
    tg_report *report;
    for (int o = 0; o < ORDERS; o++) {
        const tg_run_options options = {
            .size = sizeof options, .order = every_order[o], .checks = "all"};
        arrays all = make_arrays(module, NAMED({"x", x}, {"o", NULL}));
        report = run_once(module, &all, &options);
        cr_expect(tg_report_finding_count(report) > 0, "%s", every_order[o]);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* ---- copies that combine ---- */

#define COMBINES(kind, before)                                                                     \
    "grid 3\ninput x i32[3,4]\ninput y i32[4]\noutput o i32[4] alias=y\nscratch s i32[4]\nbody\n"  \
    "%5:i32[] = program_id axis=0; %6:i32[] = constant value=0\n"                                  \
    "%10:i32[4] = load %1 %5 [@,0:4]; store %4 %10 [0:4]; proxy_fence\n" before                    \
    "dma_start %4 %3 kind='" kind "' loc=1; dma_commit; dma_wait_groups %6\n"

static const int32_t rows[3][4] = {{1, 2, 3, 4}, {5, 7, 9, 11}, {-1, 0, 6, 1}};
static const int32_t first[4] = {100, 200, 0, 3};

/* All of them to the same memory, in any order. */
Test(machine_async, copies_that_combine)
{
    static const struct {
        const char *kernel;
        int32_t o[4];
    } cases[] = {
        {COMBINES("add", ""), {105, 209, 18, 19}}, {COMBINES("max", ""), {100, 200, 9, 11}},
        {COMBINES("min", ""), {-1, 0, 0, 1}},      {COMBINES("xor", ""), {-97, 205, 12, 13}},
        {COMBINES("or", ""), {-1, 207, 15, 15}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_findings(cases[i].kernel, NAMED({"x", rows}, {"y", first}, {"o", cases[i].o}), "");
}

/* A store to the same memory is in no order with them. */
Test(machine_async, a_store_beside_copies_that_combine)
{
    tg_module *module = load_kernel(COMBINES("add", "store %3 %10 [0:4] loc=2\n"));
    const tg_run_options options = {.size = sizeof options, .checks = "races"};
    arrays all = make_arrays(module, NAMED({"x", rows}, {"y", first}));
    tg_report *report = run_once(module, &all, &options);
    cr_assert_gt(tg_report_finding_count(report), 0);
    cr_assert_str_eq(tg_report_finding(report, 0).kind, "race");
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

/* By way of a view without strides, and of floats that are held in wider ones. */
Test(machine_async, narrow_floats_combine)
{
    static const uint16_t halves[4] = {0x3f80, 0x4000, 0x4040, 0xbf80}, /* bf16: 1 2 3 -1 */
        sums[4] = {0x4000, 0x4080, 0x40c0, 0xc000};
    expect_findings("input x bf16[4]\noutput o bf16[4] alias=x\nscratch s u16[4]\nbody\n"
                    "%5:i32[] = constant value=0; %6:ref<bf16[4]> = view_bitcast %3\n"
                    "%7:ref<bf16[4]>'(2,2):(2,1)' = view_layout %6\n"
                    "%8:ref<bf16[4]>'(2,2):(2,1)' = view_layout %2\n"
                    "%10:bf16[4] = load %1 [0:4]; store %6 %10 [0:4]; proxy_fence\n"
                    "dma_start %7 %8 kind='add'; dma_commit; dma_wait_groups %5\n",
                    NAMED({"x", halves}, {"o", sums}), "");
}

/* The sum of what nobody has written and of what somebody has is undefined.  It is that of the value of
 * undefined elements, whatever was in the caller's memory. */
Test(machine_async, what_is_combined_with_undefined_elements)
{
    static const int32_t sums[4] = {INT32_MIN + 1, INT32_MIN + 2, INT32_MIN + 3, INT32_MIN + 4};
    expect_findings("input x i32[4]\noutput o i32[4]\noutput p i32[]\nscratch s i32[4]\nbody\n"
                    "%5:i32[] = constant value=0; %10:i32[4] = load %1 [0:4]; store %4 %10 [0:4]\n"
                    "proxy_fence; dma_start %4 %2 kind='add'; dma_commit; dma_wait_groups %5\n"
                    "%11:i32[] = load %2 %5 [@]; %12:bool[] = eq %11 %5\n"
                    "%13:i32[] = switch %12 loc=4 { yield %5 } { yield %5 }\nstore %3 %13 []\n",
                    NAMED({"x", x}, {"o", sums}), "undefined-output@0; undefined-condition@4");
}
