/* Semaphores, and copies that run beside the program: the same bits in every order where a kernel waits as it must, and the same
 * findings in every order where it does not. */
#include "run_text.h"

static bool starts_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* "KIND@LINExCOUNT; ..." of a report. */
static char *findings_text(const tg_report *report)
{
    tg_text text = {0};
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        tg_text_add(&text, "%s%s@%dx%d", i ? "; " : "", f.kind, (int)f.line, (int)f.count);
    }
    return tg_text_finish(&text);
}

/* Whether a device knows of it: it keeps no account of copies on their way, nor of what the whole run writes. */
static bool is_told_by_devices(const char *found)
{
    return !starts_with(found, "dma-") && !starts_with(found, "semaphore-left") &&
           !starts_with(found, "output-unwritten");
}

/* What findings_text gives, without what devices do not tell, and without counts, of which they have none. */
static char *told_by_devices(const char *found)
{
    tg_text text = {0};
    tg_text_put(&text, "");
    for (const char *end; *found; found = *end ? end + 2 : end) {
        const size_t place = strcspn(found, "@") + 1, line = strspn(found + place, "0123456789");
        end = found + strcspn(found, ";");
        if (is_told_by_devices(found)) tg_text_add(&text, "%.*s; ", (int)(place + line), found);
    }
    return tg_text_finish(&text);
}

static void expect_of_run(const tg_module *module, const named *list, tg_run_options options,
                          const char *wanted)
{
    const char *const what = options.backend ? options.backend : options.order;
    options.size = sizeof options;
    arrays all = make_arrays(module, list);
    tg_report *report = run_once(module, &all, &options);
    char *found = findings_text(report);
    char *of_devices = told_by_devices(found), *wanted_of_devices = told_by_devices(wanted);
    const char *const is = options.backend ? of_devices : found;
    const char *const must = options.backend ? wanted_of_devices : wanted;
    if (strcmp(is, must) != 0) show_findings(report);
    cr_assert_str_eq(is, must, "%s", what);
    compare_arrays(&all, what);
    free(found);
    free(of_devices);
    free(wanted_of_devices);
    tg_report_free(report);
    free_arrays(&all);
}

/* Runs the kernel in every order, and as PTX, where copies take place at once, warps in several orders; its findings are `wanted`,
 * its arrays as listed, NULL where they depend on the order. */
static void expect_findings(const char *kernel, const named *list, const char *wanted)
{
    static const char *const backends[] = {"emulator", "emulator:1", "emulator:5"};
    tg_module *module = load_kernel(kernel);
    for (int o = 0; o < ORDERS; o++)
        expect_of_run(module, list, (tg_run_options){.order = every_order[o]}, wanted);
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        expect_of_run(module, list, (tg_run_options){.backend = backends[i]}, wanted);
    tg_module_free(module);
}

/* What the first finding says in order `sequential`. */
static void expect_message(const char *kernel, const named *list, const char *wanted)
{
    tg_module *module = load_kernel(kernel);
    const tg_run_options options = {.size = sizeof options, .order = "sequential"};
    arrays all = make_arrays(module, list);
    tg_report *report = run_once(module, &all, &options);
    cr_assert_eq(tg_report_finding_count(report), 1);
    cr_assert_str_eq(tg_report_finding(report, 0).message, wanted);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

static const int32_t x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, zeros[8];

/* ---- copies that are awaited ---- */

Test(machine_dma, a_copy_and_its_wait)
{
    expect_findings("input x i32[8]\noutput o i32[8]\nscratch s dma_sem[]\nbody\n"
                    "dma_start %1 %2 %3 loc=1\ndma_wait %1 %3 loc=2\n",
                    NAMED({"x", x}, {"o", x}), "");
}

Test(machine_dma, by_way_of_scoped_memory)
{
    expect_findings(
        "input x i32[8]\noutput o i32[8]\nbody\n"
        "scoped { (%5:ref<i32[8]> %6:ref<dma_sem[2]>)\n"
        "%10:i32[] = constant value=1; %11:i32[] = constant value=0\n"
        "%12:ref<dma_sem[]> = view %6 %10 [@]; %13:ref<dma_sem[]> = view %6 %11 [@]\n"
        "dma_start %1 %5 %12; dma_wait %1 %12; dma_start %5 %2 %13; dma_wait %2 %13 }\n",
        NAMED({"x", x}, {"o", x}), "");
}

/* Of two columns each, whose bytes alternate. */
Test(machine_dma, strided_parts)
{
    static const int32_t o[8] = {3, 4, 1, 2, 7, 8, 5, 6};
    expect_findings("input x i32[2,4]\noutput o i32[2,4]\nscratch s dma_sem[2]\nbody\n"
                    "%10:ref<i32[2,2]> = view %1 [0:2,0:2]; %11:ref<i32[2,2]> = view %1 [0:2,2:2]\n"
                    "%12:ref<i32[2,2]> = view %2 [0:2,0:2]; %13:ref<i32[2,2]> = view %2 [0:2,2:2]\n"
                    "%14:i32[] = constant value=0; %15:i32[] = constant value=1\n"
                    "%16:ref<dma_sem[]> = view %3 %14 [@]; %17:ref<dma_sem[]> = view %3 %15 [@]\n"
                    "dma_start %10 %13 %16; dma_start %11 %12 %17\n"
                    "dma_wait %10 %16; dma_wait %11 %17\n",
                    NAMED({"x", x}, {"o", o}), "");
}

Test(machine_dma, every_width)
{
    static const uint8_t bytes[4] = {1, 2, 3, 4};
    static const double wide[2] = {0.5, -2};
    expect_findings(
        "input x u8[4]\ninput y f64[2]\ninput z bf16[2]\noutput o u8[4]\noutput p f64[2]\n"
        "output q bf16[2]\nscratch s dma_sem[]\nbody\n"
        "dma_start %1 %4 %7; dma_start %2 %5 %7; dma_start %3 %6 %7\n"
        "dma_wait %1 %7; dma_wait %2 %7; dma_wait %3 %7\n",
        NAMED({"x", bytes}, {"y", wide}, {"z", bytes}, {"o", bytes}, {"p", wide}, {"q", bytes}),
        "");
}

/* All is read before anything is written. */
Test(machine_dma, a_shift_in_place)
{
    static const int32_t o[8] = {1, 1, 2, 3, 4, 5, 6, 7};
    expect_findings("input x i32[8]\noutput o i32[8] alias=x\nscratch s dma_sem[]\nbody\n"
                    "%10:ref<i32[7]> = view %2 [0:7]; %11:ref<i32[7]> = view %2 [1:7]\n"
                    "dma_start %10 %11 %3; dma_wait %10 %3\n",
                    NAMED({"x", x}, {"o", o}), "");
}

/* Source elements outside the array are undefined, destinations outside are dropped; all bytes count. */
Test(machine_dma, over_the_edge)
{
    static const int32_t o[6] = {1, 2, 3, 4, 5, 6}, p[8] = {1, 2, 3, 4, 5, 6, INT32_MIN, INT32_MIN};
    expect_findings("grid 2\ninput x i32[6] block b4 at i\noutput o i32[6] block b4 at i\n"
                    "output p i32[8] block b4 at i\nscratch s dma_sem[]\nbody\n"
                    "dma_start %1 %2 %4; dma_wait %1 %4; dma_start %1 %3 %4; dma_wait %3 %4\n",
                    NAMED({"x", x}, {"o", o}, {"p", p}), "");
}

/* Double buffering: what one step starts, the next awaits. */
/* What was loaded is what was there, also as PTX, where the threads of the load are not those of the copy.  The barrier that the
 * scratch makes in front of them keeps the semaphore's beginning from making one between them. */
Test(machine_dma, into_what_has_been_loaded)
{
    static const int32_t o[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    expect_findings("input x i32[8]\ninput y i32[8]\noutput o i32[8] alias=y\noutput q i32[8]\n"
                    "scratch t i32[8]\nscratch s dma_sem[]\nbody\n"
                    "%10:i32[8] = load %1 [0:8]; store %5 %10 [0:8]; %11:i32[8] = load %3 [0:8]\n"
                    "%12:ref<i32[7]> = view %1 [0:7]; %13:ref<i32[7]> = view %3 [1:7]\n"
                    "dma_start %12 %13 %6; dma_wait %12 %6; store %4 %11 [0:8]\n",
                    NAMED({"x", x}, {"y", zeros}, {"o", o}, {"q", zeros}), "");
}

Test(machine_dma, from_step_to_step)
{
    static const int32_t o[8] = {2, 4, 6, 8, 10, 12, 14, 16};
    expect_findings(
        "grid 4a\ninput x i32[8]\noutput o i32[8] block b2 at i\nscratch b i32[2,2]\nscratch s "
        "dma_sem[2]\nbody\n"
        "%10:i32[] = program_id axis=0; %11:i32[] = constant value=2; %12:i32[] = constant "
        "value=1\n"
        "%13:i32[] = constant value=4; %14:i32[] = constant value=0\n"
        "%15:bool[] = eq %10 %14\n"
        "switch %15 { yield } { %20:ref<i32[2]> = view %1 [0:2]; %21:ref<i32[2]> = view %3 %14 "
        "[@,0:2]\n"
        "%22:ref<dma_sem[]> = view %4 %14 [@]; dma_start %20 %21 %22 }\n"
        "%30:i32[] = add %10 %12; %31:bool[] = lt %30 %13\n"
        "switch %31 { yield } { %40:i32[] = mul %30 %11; %41:ref<i32[2]> = view %1 %40 [*:2]\n"
        "%42:i32[] = rem %30 %11; %43:ref<i32[2]> = view %3 %42 [@,0:2]\n"
        "%44:ref<dma_sem[]> = view %4 %42 [@]; dma_start %41 %43 %44 }\n"
        "%50:i32[] = rem %10 %11; %51:ref<i32[2]> = view %3 %50 [@,0:2]; %52:ref<dma_sem[]> = view "
        "%4 "
        "%50 [@]\n"
        "dma_wait %51 %52; %53:i32[2] = load %51 [0:2]; %54:i32[2] = add %53 %53; store %2 %54 "
        "[0:2]\n",
        NAMED({"x", x}, {"o", o}), "");
}

/* ---- lengths that are known at run time only ---- */

#define PART                                                                                       \
    "prefetch n i32[2]\ninput x i32[8]\ninput y i32[8]\noutput o i32[8] alias=y\nscratch s "       \
    "dma_sem[]\nbody\n"                                                                            \
    "%10:i32[] = constant value=0; %11:i32[] = constant value=1\n"                                 \
    "%12:i32[] = load %1 %10 [@]; %13:i32[] = load %1 %11 [@]\n"                                   \
    "%14:ref<i32[8]> = view_part %2 %12 %13 loc=1; %15:ref<i32[8]> = view_part %4 %12 %13 loc=2\n" \
    "dma_start %14 %15 %5 loc=3\ndma_wait %14 %5 loc=4\n"

Test(machine_dma, lengths_at_run_time)
{
    static const int32_t some[2] = {2, 3}, none[2] = {8, 0}, all[2] = {0, 8},
                         o[8] = {0, 0, 3, 4, 5, 0, 0, 0};
    expect_findings(PART, NAMED({"n", some}, {"x", x}, {"y", zeros}, {"o", o}), "");
    expect_findings(PART, NAMED({"n", none}, {"x", x}, {"y", zeros}, {"o", zeros}), "");
    expect_findings(PART, NAMED({"n", all}, {"x", x}, {"y", zeros}, {"o", x}), "");
}

Test(machine_dma, lengths_that_reach_outside)
{
    static const int32_t long_one[2] = {6, 3}, before[2] = {-1, 2}, negative[2] = {2, -1},
                         o[8] = {0, 0, 0, 0, 0, 0, 7, 8}, q[8] = {1, 2};
    const char *const both = "access-outside-ref@1x1; access-outside-ref@2x1";
    expect_findings(PART, NAMED({"n", long_one}, {"x", x}, {"y", zeros}, {"o", o}), both);
    expect_findings(PART, NAMED({"n", before}, {"x", x}, {"y", zeros}, {"o", q}), both);
    expect_findings(PART, NAMED({"n", negative}, {"x", x}, {"y", zeros}, {"o", zeros}), both);
}

/* Accesses to a part end where it does. */
Test(machine_dma, loads_of_parts)
{
    static const int32_t n[1] = {2}, o[4] = {3, 4, INT32_MIN, INT32_MIN};
    expect_findings("prefetch n i32[1]\ninput x i32[8]\noutput o i32[4]\nbody\n"
                    "%10:i32[] = constant value=0; %11:i32[] = load %1 %10 [@]\n"
                    "%12:ref<i32[4]> = view_part %2 %11 %11; %13:i32[4] = load %12 [0:4] loc=5\n"
                    "store %3 %13 [0:4]\n",
                    NAMED({"n", n}, {"x", x}, {"o", o}), "access-outside-ref@5x1");
}

Test(machine_dma, lengths_that_differ)
{
    static const int32_t o[8] = {1, 2, INT32_MIN};
    expect_findings(
        "input x i32[8]\ninput y i32[8]\noutput o i32[8] alias=y\nscratch s dma_sem[]\nbody\n"
        "%10:i32[] = constant value=0; %11:i32[] = constant value=2; %12:i32[] = constant "
        "value=3\n"
        "%14:ref<i32[8]> = view_part %1 %10 %11; %15:ref<i32[8]> = view_part %3 %10 %12\n"
        "dma_start %14 %15 %4 loc=3\ndma_wait %14 %4 loc=4\n",
        NAMED({"x", x}, {"y", zeros}, {"o", o}), "access-outside-ref@3x1");
}

/* ---- what is touched in flight ---- */

#define EARLY                                                                                      \
    "input x i32[8]\noutput o i32[8]\noutput p i32[8]\nscratch s dma_sem[]\nbody\n"                \
    "%9:i32[8] = constant value=0; store %3 %9 [0:8]; store %2 %9 [0:8]\n"                         \
    "dma_start %1 %2 %4 loc=2\n%10:i32[8] = load %2 [0:8] loc=3\nstore %3 %10 [0:8]\n"             \
    "dma_wait %1 %4 loc=4\n"

Test(machine_dma, a_read_before_the_wait)
{
    expect_findings(EARLY, NAMED({"x", x}, {"o", x}), "dma-in-flight@3x1");
    expect_message(
        EARLY, NAMED({"x", x}, {"o", x}),
        "load reads o[0], which a copy may still be writing: no wait has made sure of it");
}

/* Also told: the first element that the two have in common, and who started the copy. */
Test(machine_dma, what_a_finding_in_flight_tells)
{
    tg_module *module = load_kernel(
        "grid 2\ninput x i32[4,4]\ninput y i32[4,4]\noutput o i32[4,4] alias=y\nscratch s "
        "dma_sem[]\nbody\n"
        "%10:ref<i32[2,2]> = view %1 [0:2,1:2]; %11:ref<i32[2,2]> = view %3 [2:2,1:2]\n"
        "dma_start %10 %11 %4 loc=2\n%12:i32[4,2] = load %3 [0:4,2:2] loc=3\ndma_wait %10 %4\n");
    static const int32_t sixteen[16] = {0};
    for (int o = 0; o < ORDERS; o++) {
        arrays all = make_arrays(module, NAMED({"x", sixteen}, {"y", sixteen}));
        const tg_run_options options = {.size = sizeof options, .order = every_order[o]};
        tg_report *report = run_once(module, &all, &options);
        cr_assert_eq(tg_report_finding_count(report), 1);
        const tg_finding f = tg_report_finding(report, 0);
        cr_assert_str_eq(f.kind, "dma-in-flight");
        cr_assert_eq(f.first, 10, "%s: %d", every_order[o], (int)f.first);
        cr_assert_eq(f.program[0], 0);
        cr_assert_eq(f.related_count, 1);
        const tg_related start = tg_report_related(report, 0, 0);
        cr_assert_str_eq(start.op, "dma_start");
        cr_assert_eq(start.line, 2);
        cr_assert_eq(start.program[0], 0);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* When a copy takes place is the order's choice: in `sequential` as late as may be, in `reversed` at once. */
Test(machine_dma, the_moments)
{
    tg_module *module = load_kernel(EARLY);
    static const char *const orders[] = {"sequential", "reversed"};
    bool is_late = false, is_early = false;
    for (int o = 0; o < 2; o++) {
        const named list[] = {{"x", x}, {"p", o ? x : zeros}, {NULL, NULL}};
        run_in(module, list, (tg_run_options){.order = orders[o]}, 1, EARLY);
    }
    for (int seed = 0; seed < 20; seed++) {
        char order[32];
        snprintf(order, sizeof order, "shuffled:%d", seed);
        const tg_run_options options = {.size = sizeof options, .order = order};
        arrays all = make_arrays(module, NAMED({"x", x}));
        tg_report_free(run_once(module, &all, &options));
        const int32_t first = *(const int32_t *)array_data(&all, "p");
        is_early |= first == 1;
        is_late |= first == 0;
        for (int again = 0; again < 3; again++) {
            tg_report_free(run_once(module, &all, &options));
            cr_assert_eq(*(const int32_t *)array_data(&all, "p"), first, "%s", order);
        }
        free_arrays(&all);
    }
    cr_assert(is_early && is_late, "all seeds choose the same moment");
    tg_module_free(module);
}

Test(machine_dma, a_write_to_the_source)
{
    const char *const kernel =
        "input y i32[8]\noutput x i32[8] alias=y\noutput o i32[8]\nscratch s dma_sem[]\nbody\n"
        "dma_start %2 %3 %4 loc=2\n%9:i32[8] = constant value=0; store %2 %9 [0:8] loc=3\n"
        "dma_wait %2 %4\n";
    expect_findings(kernel, NAMED({"y", x}, {"x", zeros}), "dma-in-flight@3x1");
    expect_message(
        kernel, NAMED({"y", x}, {"x", zeros}),
        "store writes x[0], from which a copy may still be reading: no wait has made sure of it");
}

/* A read of the source, and whatever is beside the copy, is fine. */
Test(machine_dma, what_is_not_in_flight)
{
    static const int32_t o[8] = {1, 7, 3, 7, 5, 7, 7, 7}, p[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    expect_findings(
        "input x i32[8]\ninput y i32[8]\noutput o i32[8] alias=y\noutput p i32[8]\nscratch s "
        "dma_sem[]\nbody\n"
        "%10:ref<i32[3]> = view %1 [0:3:2]; %11:ref<i32[3]> = view %3 [0:3:2]\n"
        "dma_start %10 %11 %5\n%12:i32[8] = load %1 [0:8]; store %4 %12 [0:8]\n"
        "%13:i32[3] = constant value=7; store %3 %13 [1:3:2]\n"
        "%14:i32[2] = constant value=[6,7]; %15:i32[2] = constant value=7; store %3 %15 %14 [@]\n"
        "%16:bool[8] = constant value=[false,true,false,true,false,true,true,true]\n"
        "%17:i32[8] = constant value=7; store %3 %17 %16 [0:8] mask=true\n"
        "dma_wait %10 %5\n",
        NAMED({"x", x}, {"y", zeros}, {"o", o}, {"p", p}), "");
}

Test(machine_dma, elements_in_flight)
{
    expect_findings("input x i32[8]\noutput o i32[8]\noutput p i32[2]\nscratch s dma_sem[]\nbody\n"
                    "%10:ref<i32[4]> = view %1 [0:4]; %11:ref<i32[4]> = view %2 [4:4]\n"
                    "%9:i32[8] = constant value=0; store %2 %9 [0:8]; dma_start %10 %11 %4 loc=1\n"
                    "%12:i32[2] = constant value=[3,4]; %13:i32[2] = load %2 %12 [@] loc=2\n"
                    "%14:bool[2] = constant value=[true,false]; %15:i32[2] = load %2 %12 %14 [@] "
                    "mask=true loc=3\n"
                    "%16:i32[] = constant value=7; %17:i32[] = constant value=1\n"
                    "%18:i32[] = atomic_rmw %2 %17 %16 [@] kind='add' loc=4\n"
                    "store %3 %13 [0:2]; dma_wait %10 %4\n",
                    NAMED({"x", x}), "dma-in-flight@2x1; dma-in-flight@4x1");
}

Test(machine_dma, copies_against_copies)
{
    expect_findings("input x i32[8]\noutput o i32[8]\noutput p i32[8]\nscratch s dma_sem[]\nbody\n"
                    "dma_start %1 %2 %4 loc=1\ndma_start %1 %3 %4 loc=2\ndma_start %2 %3 %4 loc=3\n"
                    "dma_start %1 %2 %4 loc=4\n"
                    "dma_wait %1 %4; dma_wait %1 %4; dma_wait %1 %4; dma_wait %1 %4\n",
                    NAMED({"x", x}, {"o", x}), "dma-in-flight@3x1; dma-in-flight@4x1");
}

/* ---- one semaphore, several copies ---- */

/* The bytes of one copy satisfy the wait for the other: only both waits make sure of both. */
Test(machine_dma, a_shared_semaphore)
{
    expect_findings(
        "input x i32[8]\noutput o i32[8]\noutput p i32[8]\noutput q i32[8]\noutput r i32[8]\n"
        "scratch s dma_sem[]\nbody\n"
        "dma_start %1 %2 %6 loc=1\ndma_start %1 %3 %6 loc=2\ndma_wait %1 %6 loc=3\n"
        "%10:i32[8] = load %2 [0:8] loc=4\nstore %4 %10 [0:8]; dma_wait %1 %6 loc=5\n"
        "%11:i32[8] = load %2 [0:8] loc=6\nstore %5 %11 [0:8]\n",
        NAMED({"x", x}, {"o", x}, {"p", x}, {"r", x}), "dma-in-flight@4x1");
}

/* Of 16 and 8 bytes, a wait for 16 makes sure of the larger copy alone. */
Test(machine_dma, a_shared_semaphore_of_other_sizes)
{
    expect_findings("input x i32[8]\noutput o i32[4]\noutput p i32[2]\noutput q i32[2]\n"
                    "scratch s dma_sem[]\nbody\n"
                    "%8:ref<i32[4]> = view %1 [0:4]; %9:ref<i32[2]> = view %1 [0:2]\n"
                    "dma_start %8 %2 %5; dma_start %9 %3 %5; dma_wait %8 %5\n"
                    "%10:i32[4] = load %2 [0:4] loc=4\n%11:i32[2] = load %3 [0:2] loc=5\n"
                    "store %4 %11 [0:2]; dma_wait %9 %5\n",
                    NAMED({"x", x}, {"o", x}, {"p", x}), "dma-in-flight@5x1");
}

/* ---- semaphores ---- */

Test(machine_dma, signals_and_waits)
{
    static const int32_t o[4] = {5, 5, 2, 0};
    expect_findings(
        "output o i32[4]\nscratch s sem[2,2]\nbody\n"
        "%10:i32[] = constant value=1; %11:i32[] = constant value=0; %12:i32[] = constant "
        "value=5; %13:i32[] = constant value=3; %14:i32[] = constant value=2\n"
        "%15:ref<sem[2]> = view %2 %10 [@,0:2]; %16:ref<sem[]> = view %15 %11 [@]\n"
        "semaphore_signal %16 %12\n%20:i32[] = semaphore_read %16; store %1 %20 %11 [@]\n"
        "semaphore_wait %16 %12 keep=true\n%21:i32[] = semaphore_read %16; store %1 %21 "
        "%10 [@]\n"
        "semaphore_wait %16 %13\n%22:i32[] = semaphore_read %16; store %1 %22 %14 [@]\n"
        "semaphore_wait %16 %14\n%23:i32[] = semaphore_read %16; store %1 %23 %13 [@]\n",
        NAMED({"o", o}), "");
}

/* A program that reads again and again sees the copy come. */
Test(machine_dma, polling)
{
    expect_findings(
        "input x i32[8]\noutput o i32[8]\nscratch s dma_sem[]\nbody\n"
        "dma_start %1 %2 %3\n%10:i32[] = constant value=32\n"
        "while { %11:i32[] = semaphore_read %3; %12:bool[] = lt %11 %10; yield %12 } { }\n"
        "dma_wait %1 %3\n",
        NAMED({"x", x}, {"o", x}), "");
}

Test(machine_dma, semaphores_left)
{
    const char *const kernel =
        "grid 2 2a\nscratch s sem[2,3]\nbody\n"
        "%10:i32[] = constant value=1; %11:i32[] = constant value=2\n"
        "%12:ref<sem[]> = view %1 %10 %11 [@,@]; semaphore_signal %12 %11 loc=3\n";
    expect_findings(kernel, NAMED({NULL, NULL}), "semaphore-left@3x2");
    expect_message(kernel, NAMED({NULL, NULL}), "s[1, 2] is 4 where its memory ends; it must be 0");
    expect_findings("grid 3\nbody\n%10:i32[] = constant value=1\n"
                    "scoped loc=2 { (%11:ref<sem[]>) semaphore_signal %11 %10 loc=4 }\n",
                    NAMED({NULL, NULL}), "semaphore-left@4x3");
}

/* ---- waits that never end ---- */

#define STUCK                                                                                      \
    "grid 3 2a\noutput o i32[3] block b1 at i\nscratch s sem[2]\nbody\n"                           \
    "%10:i32[] = program_id axis=0; %11:i32[] = constant value=1; %12:bool[] = eq %10 %11\n"       \
    "%13:ref<sem[]> = view %2 %11 [@]\n"                                                           \
    "switch %12 { yield } { semaphore_signal %13 %11 loc=1; %14:i32[] = constant value=2; "        \
    "semaphore_wait %13 %14 loc=2 }\n"                                                             \
    "%15:i32[1] = constant value=7; store %1 %15 [0:1]\n"

Test(machine_dma, one_program_waits_forever)
{
    static const int32_t o[3] = {7, INT32_MIN, 7};
    expect_findings(STUCK, NAMED({"o", o}), "deadlock@2x1; output-unwritten@9x1");
}

Test(machine_dma, what_is_said_of_a_deadlock)
{
    expect_message(
        "scratch s sem[2]\nbody\n%11:i32[] = constant value=1; %14:i32[] = constant value=2\n"
        "%13:ref<sem[]> = view %1 %11 [@]; semaphore_signal %13 %11; semaphore_wait %13 %14 "
        "loc=2\n",
        NAMED({NULL, NULL}),
        "semaphore_wait waits for s[1] to be 2; it is 1, no copy on its way will raise it, "
        "and nobody else can.  The program ends here");
}

/* What the first finding says of another place: "ROLE OP@LINE", "" where it speaks of none. */
static void expect_related(const char *kernel, const char *wanted)
{
    tg_module *module = load_kernel(kernel);
    arrays all = make_arrays(module, NAMED({NULL, NULL}));
    tg_report *report = run_once(module, &all, NULL);
    char text[200] = "";
    cr_assert_eq(tg_report_finding_count(report), 1);
    if (tg_report_finding(report, 0).related_count) {
        const tg_related r = tg_report_related(report, 0, 0);
        snprintf(text, sizeof text, "%s %s of %s@%d in %d", r.role, r.op, r.param, (int)r.line,
                 (int)r.program[0]);
    }
    cr_assert_str_eq(text, wanted);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

/* The second step of a chain waits for more than the first one has signalled. */
Test(machine_dma, who_raised_what_a_deadlock_waits_for)
{
    static const char steps[] =
        "grid 3a\nscratch s sem[]\nbody\n%10:i32[] = program_id axis=0; %11:i32[] = constant "
        "value=1\n%12:i32[] = constant value=2; %13:bool[] = eq %10 %11\n"
        "switch %13 { semaphore_signal %1 %11 loc=1; yield } { semaphore_wait %1 %12 loc=2; yield "
        "}\n";
    expect_related(steps, "it was raised last by semaphore_signal of s@1 in 0");
    expect_related("grid 2a\nscratch s sem[]\nbody\n%11:i32[] = constant value=1\n"
                   "semaphore_signal %1 %11; semaphore_wait %1 %11; semaphore_wait %1 %11 loc=2\n",
                   "");
}

Test(machine_dma, two_programs_wait_forever)
{
    expect_findings("grid 2\nscratch s sem[]\nbody\n%10:i32[] = constant value=1\n"
                    "semaphore_wait %1 %10 loc=2\n",
                    NAMED({NULL, NULL}), "deadlock@2x2");
}

Test(machine_dma, a_wait_for_more_than_was_copied)
{
    expect_findings("input x i32[8]\noutput o i32[4]\nscratch s dma_sem[]\nbody\n"
                    "%10:ref<i32[4]> = view %1 [0:4]; dma_start %10 %2 %3; dma_wait %1 %3 loc=2\n",
                    NAMED({"x", x}, {"o", x}), "deadlock@2x1");
}

/* ---- copies that nobody waits for ---- */

Test(machine_dma, not_awaited)
{
    expect_findings(
        "grid 2a\ninput x i32[8]\noutput o i32[8]\nscratch s dma_sem[]\nbody\n"
        "%10:i32[] = program_id axis=0; %11:i32[] = constant value=1; %12:bool[] = eq %10 "
        "%11\n"
        "switch %12 { yield } { dma_start %1 %2 %3 loc=4 }\n",
        NAMED({"x", x}, {"o", x}), "dma-not-awaited@4x1");
    expect_findings("input x i32[8]\noutput o i32[8]\nbody\n"
                    "scoped { (%5:ref<dma_sem[]>) dma_start %1 %2 %5 loc=4 }\n",
                    NAMED({"x", x}, {"o", x}), "dma-not-awaited@4x1");
    expect_findings("input x i32[8]\nscratch s dma_sem[]\nbody\n"
                    "scoped { (%5:ref<i32[8]>) dma_start %1 %5 %2 loc=4 }\n",
                    NAMED({"x", x}), "dma-not-awaited@4x1");
}

Test(machine_dma, awaited_in_part)
{
    expect_findings("input x i32[8]\noutput o i32[8]\nscratch s dma_sem[]\nbody\n"
                    "dma_start %1 %2 %3 loc=2\n%10:ref<i32[6]> = view %1 [0:6]; dma_wait %10 %3\n",
                    NAMED({"x", x}, {"o", x}), "semaphore-left@9x1");
}

/* The semaphore does not exist, so nothing is copied and nobody waits. */
Test(machine_dma, a_semaphore_outside_its_array)
{
    expect_findings("input x i32[8]\noutput o i32[8]\nscratch s dma_sem[2]\nbody\n"
                    "%10:i32[] = constant value=2; %11:ref<dma_sem[]> = view %3 %10 [@] loc=1\n"
                    "dma_start %1 %2 %11; dma_wait %1 %11; %12:i32[] = semaphore_read %11\n"
                    "%13:i32[8] = broadcast_in_dim %12 dims=[]; store %2 %13 [0:8]\n",
                    NAMED({"x", x}, {"o", zeros}), "access-outside-ref@1x1");
}

/* Nor does anybody ask how long the sides of that copy are. */
Test(machine_dma, a_semaphore_outside_its_array_and_lengths_that_differ)
{
    static const int32_t nothing[8] = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN,
                                       INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    expect_findings(
        "input x i32[8]\noutput o i32[8]\nscratch s dma_sem[2]\nbody\n"
        "%10:i32[] = constant value=2; %11:ref<dma_sem[]> = view %3 %10 [@] loc=1\n"
        "%12:i32[] = constant value=3; %13:i32[] = constant value=0\n"
        "%14:ref<i32[8]> = view_part %1 %13 %10; %15:ref<i32[8]> = view_part %2 %13 %12\n"
        "dma_start %14 %15 %11; dma_wait %14 %11\n",
        NAMED({"x", x}, {"o", nothing}), "access-outside-ref@1x1; output-unwritten@9x1");
}

/* More copies at once than the first room is for. */
Test(machine_dma, many_copies)
{
    expect_findings(
        "input x i32[8]\noutput o i32[8]\nscratch b i32[40,8]\nscratch s dma_sem[]\nbody\n"
        "%10:i32[] = constant value=0; %11:i32[] = constant value=40; %12:i32[] = constant "
        "value=1; %13:i32[] = constant value=7\n"
        "for %10 %11 %12 { (%20:i32[]) %21:ref<i32[8]> = view %3 %20 [@,0:8]; dma_start %1 "
        "%21 %4 }\n"
        "for %10 %11 %12 { (%22:i32[]) dma_wait %1 %4 }\n"
        "%23:i32[8] = load %3 %13 [@,0:8]; store %2 %23 [0:8]\n",
        NAMED({"x", x}, {"o", x}), "");
}
