/* Phases of barriers that are not the same in every order, that a thread misses, or that nobody has
 * waited for. */
#include "run_findings.h"

static void check_in(const tg_module *module, const named *list, const char *order,
                     const char *checks, const char *wanted)
{
    const tg_run_options options = {.size = sizeof options, .order = order, .checks = checks};
    arrays all = make_arrays(module, list);
    tg_report *report = run_once(module, &all, &options);
    char *found = findings_text(report);
    if (strcmp(found, wanted) != 0) show_findings(report);
    cr_expect_str_eq(found, wanted, "%s", order);
    free(found);
    tg_report_free(report);
    free_arrays(&all);
}

/* Runs the kernel in every order: the findings are the same. */
static void expect_found(const char *kernel, const named *list, const char *wanted)
{
    tg_module *module = load_kernel(kernel);
    for (int o = 0; o < ORDERS; o++)
        check_in(module, list, every_order[o], "all,gpu-strict", wanted);
    tg_module_free(module);
}

static const named nothing[] = {{NULL, NULL}};

/* Threads of one program; what each of them does, and lines, are those of the test. */
#define KERNEL(threads, params, ops)                                                               \
    "grid " threads "t\n" params "body\n%20:i32[] = program_id axis=0\n"                           \
    "%21:i32[] = constant value=0; %22:i32[] = constant value=4; %23:i32[] = constant "            \
    "value=1\n" ops
#define TWO(arrivals, first, second)                                                               \
    KERNEL("2",                                                                                    \
           "scratch b barrier[] arrivals=" arrivals "\nscratch c barrier[] arrivals=1\n"           \
           "scratch d barrier[] arrivals=2\n",                                                     \
           "switch %20 { " first " yield } { " second " yield }\n")

/* ---- arrivals ---- */

Test(barrier_checks, two_threads_arrive_where_one_is_enough)
{
    expect_found(TWO("1", "barrier_arrive %1 loc=1;", "barrier_arrive %1 loc=2;"), nothing,
                 "barrier-overrun@2");
}

/* What else is wrong with barriers may follow from that. */
Test(barrier_checks, an_overrun_is_told_alone)
{
    expect_found(TWO("1", "barrier_arrive %1 loc=1;",
                     "barrier_arrive %1 loc=2; barrier_arrive %2 loc=3; barrier_arrive %2 loc=4;"),
                 nothing, "barrier-overrun@2");
}

Test(barrier_checks, every_thread_arrives_by_the_same_line)
{
    expect_found(KERNEL("3", "scratch b barrier[] arrivals=2\n", "barrier_arrive %1 loc=1\n"),
                 nothing, "barrier-overrun@1");
}

/* The second arrival of the first thread may come before the first one of the other. */
Test(barrier_checks, a_thread_arrives_again_without_knowing_of_the_other)
{
    expect_found(TWO("2", "barrier_arrive %1 loc=1; barrier_arrive %1 loc=2;",
                     "barrier_arrive %1 loc=3; barrier_wait %1 loc=4;"
                     "barrier_arrive %1 loc=5; barrier_wait %1 loc=6;"),
                 nothing, "barrier-overrun@3");
}

Test(barrier_checks, a_thread_arrives_again_once_it_has_waited)
{
    expect_found(TWO("2", "barrier_arrive %1; barrier_wait %1; barrier_arrive %1; barrier_wait %1;",
                     "barrier_arrive %1; barrier_wait %1; barrier_arrive %1; barrier_wait %1;"),
                 nothing, "");
}

/* Only the second thread waits; by the other barrier the first one knows. */
Test(barrier_checks, another_barrier_tells_that_the_phase_is_complete)
{
    expect_found(TWO("1", "barrier_arrive %1; barrier_wait %2; barrier_arrive %1;",
                     "barrier_wait %1; barrier_arrive %2; barrier_wait %1;"),
                 nothing, "");
}

Test(barrier_checks, a_thread_makes_both_arrivals_of_a_phase)
{
    expect_found(TWO("2",
                     "barrier_arrive %1; barrier_arrive %1; barrier_wait %2;"
                     "barrier_arrive %1; barrier_arrive %1;",
                     "barrier_wait %1; barrier_arrive %2; barrier_wait %1;"),
                 nothing, "");
}

/* Each of two threads arrives at a barrier of its own and at that of the other, and waits for its own: that
 * the other one has arrived at it says that it has arrived at both, if it does that at once. */
#define EACH_AT_BOTH(how)                                                                          \
    TWO("2",                                                                                       \
        "for %21 %22 %23 { (%30:i32[]) barrier_arrive %1 loc=1; barrier_arrive %3 " how            \
        " loc=2; barrier_wait %1; yield };",                                                       \
        "for %21 %22 %23 { (%40:i32[]) barrier_arrive %1 loc=3; barrier_arrive %3 " how            \
        " loc=4; barrier_wait %3; yield };")

Test(barrier_checks, arrivals_at_several_barriers_at_once)
{
    expect_found(EACH_AT_BOTH("at_once=true"), nothing, "");
    tg_module *module = load_kernel(EACH_AT_BOTH("at_once=true"));
    for (int seed = 10; seed < 40; seed++) {
        char order[32];
        snprintf(order, sizeof order, "interleaved:%d", seed);
        check_in(module, nothing, order, "none", "");
    }
    tg_module_free(module);
}

Test(barrier_checks, arrivals_at_several_barriers_one_after_the_other)
{
    expect_found(EACH_AT_BOTH(""), nothing, "barrier-overrun@4");
}

/* ---- copies ---- */

#define COPIES(arrivals, first, second)                                                            \
    KERNEL("2",                                                                                    \
           "input x i32[2]\nscratch s i32[2]\nscratch t i32[2]\n"                                  \
           "scratch b barrier[] arrivals=" arrivals "\nscratch c barrier[] arrivals=1\n",          \
           "switch %20 { " first " yield } { " second " yield }\n")
static const int32_t x[2] = {1, 2};

Test(barrier_checks, a_copy_and_an_arrival_too_many)
{
    expect_found(COPIES("1",
                        "dma_start %1 %2 %4 loc=1; barrier_arrive %4 loc=2;"
                        "barrier_wait %4 loc=4; barrier_wait %4 loc=5;",
                        "barrier_arrive %4 loc=3;"),
                 NAMED({"x", x}), "barrier-overrun@3");
}

/* The starter is told that another thread has waited. */
Test(barrier_checks, copies_of_successive_phases)
{
    expect_found(COPIES("1",
                        "dma_start %1 %2 %4; barrier_arrive %4; barrier_wait %5;"
                        "dma_start %1 %2 %4; barrier_arrive %4;",
                        "barrier_wait %4; barrier_arrive %5; barrier_wait %4;"),
                 NAMED({"x", x}), "");
}

/* All arrivals are known, but not that the copy has taken place. */
Test(barrier_checks, the_copy_of_the_phase_before_may_be_on_its_way)
{
    expect_found(COPIES("1",
                        "dma_start %1 %2 %4 loc=1; barrier_arrive %4 loc=2;"
                        "dma_start %1 %3 %4 loc=3; barrier_arrive %4 loc=4;"
                        "barrier_wait %4 loc=5; barrier_wait %4 loc=6;",
                        ""),
                 NAMED({"x", x}), "barrier-overrun@3");
}

/* The other thread may arrive before the copy starts, or behind it. */
Test(barrier_checks, a_copy_starts_without_an_arrival_behind_it)
{
    expect_found(COPIES("1", "dma_start %1 %2 %4 loc=1; barrier_arrive %5;",
                        "barrier_arrive %4 loc=2; barrier_wait %5; barrier_wait %4;"
                        "barrier_arrive %4 loc=3; barrier_wait %4;"),
                 NAMED({"x", x}), "barrier-overrun@2");
}

/* ---- copies whose bytes a phase expects ---- */

/* Thread 1 starts the copies for a barrier of thread 0, which says in between what it is about to do. */
#define EXPECTED(between, before)                                                                  \
    COPIES("1",                                                                                    \
           "%30:i32[] = constant value=8; barrier_expect %4 %30 loc=1; barrier_arrive %4\n"        \
           "barrier_wait %4;" between "barrier_expect %4 %30 loc=2; barrier_arrive %4 loc=3\n"     \
           "barrier_wait %4;",                                                                     \
           "dma_start %1 %2 %4 expected=true loc=4;" before                                        \
           "dma_start %1 %3 %4 expected=true loc=5;")

Test(barrier_checks, expected_copies_of_successive_phases)
{
    expect_found(EXPECTED("barrier_arrive %5;", "barrier_wait %5;"), NAMED({"x", x}), "");
}

/* Both copies may bring their bytes in the first phase. */
Test(barrier_checks, expected_copies_of_one_phase_or_two)
{
    tg_module *module = load_kernel(EXPECTED("", ""));
    for (int o = 0; o < ORDERS; o++) {
        const tg_run_options options = {.size = sizeof options, .order = every_order[o]};
        arrays all = make_arrays(module, NAMED({"x", x}));
        tg_report *report = run_once(module, &all, &options);
        char *found = findings_text(report);
        const bool is_found = strstr(found, "barrier-overrun@") || strstr(found, "deadlock");
        cr_expect(is_found, "%s: %s", every_order[o], found);
        free(found);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* Another thread may complete the phase before the bytes are known that it needs. */
Test(barrier_checks, bytes_are_expected_without_an_arrival_behind)
{
    expect_found(COPIES("1", "%30:i32[] = constant value=0; barrier_expect %4 %30 loc=1;",
                        "barrier_arrive %4 loc=2; barrier_wait %4;"),
                 NAMED({"x", x}), "barrier-overrun@2");
}

/* The phase lacks bytes still, so that the second arrival has nowhere to go. */
Test(barrier_checks, an_arrival_too_many_while_bytes_are_missing)
{
    expect_found(COPIES("1",
                        "%30:i32[] = constant value=8; barrier_expect %4 %30; barrier_arrive %4\n"
                        "barrier_arrive %4 loc=3; barrier_arrive %5; barrier_wait %4;",
                        "barrier_wait %5; dma_start %1 %2 %4 expected=true loc=4;"),
                 NAMED({"x", x}), "barrier-overrun@3");
}

/* ---- waits ---- */

/* The arrivals are ordered by the second barrier, and the third thread waits too late. */
#define MISSED(told)                                                                               \
    KERNEL("3",                                                                                    \
           "scratch b barrier[] arrivals=1\nscratch c barrier[] arrivals=1\n"                      \
           "scratch d barrier[] arrivals=1\n",                                                     \
           "switch %20 { barrier_arrive %1 loc=1; barrier_wait %2 loc=2;" told                     \
           " barrier_arrive %1 loc=3; yield }"                                                     \
           "{ barrier_wait %1 loc=4; barrier_arrive %2 loc=5; barrier_wait %1 loc=6; yield }"      \
           "{ barrier_wait %1 loc=7; barrier_arrive %3 loc=8; barrier_wait %1 loc=9; yield }\n")

Test(barrier_checks, a_thread_may_come_two_phases_late)
{
    expect_found(MISSED(""), nothing, "phase-missed@7");
}

Test(barrier_checks, the_arriver_knows_that_both_have_waited)
{
    expect_found(MISSED("barrier_wait %3;"), nothing, "");
}

Test(barrier_checks, a_phase_that_nobody_waits_for)
{
    expect_found(TWO("1", "barrier_arrive %1 loc=1; barrier_arrive %1 loc=2;", ""), nothing,
                 "phase-unobserved@2");
}

Test(barrier_checks, phases_that_nobody_waits_for_at_the_end)
{
    expect_found(TWO("1",
                     "barrier_arrive %1 loc=1; barrier_wait %2 loc=2; barrier_arrive %1 loc=3;",
                     "barrier_wait %1 loc=4; barrier_arrive %2 loc=5;"),
                 nothing, "phases-left@4");
}

/* The second thread has waited for the first phase itself, and the first one for the second phase for both. */
Test(barrier_checks, a_wait_with_followers_is_one_of_theirs)
{
#define FOLLOWED(followers)                                                                        \
    KERNEL("3", "scratch b barrier[] arrivals=1\nscratch c barrier[] arrivals=2\n",                \
           "switch %20 { barrier_wait %1; barrier_arrive %2; barrier_wait %1 " followers           \
           "; yield } "                                                                            \
           "{ barrier_wait %1 loc=4; barrier_arrive %2; yield } "                                  \
           "{ barrier_arrive %1; barrier_wait %2; barrier_arrive %1; yield }\n")
    expect_found(FOLLOWED("followers=1"), nothing, "");
    expect_found(FOLLOWED(""), nothing, "phases-left@4");
}

/* ---- the end ---- */

Test(barrier_checks, an_arrival_is_left)
{
    expect_found(TWO("2", "barrier_arrive %1 loc=1;", ""), nothing, "semaphore-left@1");
}

/* ---- rings ---- */

/* Thread 0 fills `slots` slots in turn, and thread 1 adds what is in them; barriers `full` and `free`
 * of each slot. */
#define RING(slots, before, behind)                                                                \
    "grid 2t\ninput x i32[6,2]\noutput o i32[6,2]\nscratch s i32[" slots ",2]\n"                   \
    "scratch full barrier[" slots "] arrivals=1\nscratch free barrier[" slots "] arrivals=1\n"     \
    "body\n%20:i32[] = program_id axis=0; %21:i32[] = constant value=0\n"                          \
    "%22:i32[] = constant value=6; %23:i32[] = constant value=1\n"                                 \
    "%24:i32[] = constant value=" slots "\n"                                                       \
    "switch %20 { for %21 %22 %23 { (%30:i32[]) %31:i32[] = rem %30 %24\n"                         \
    "%32:ref<i32[2]> = view %1 %30 [@,0:2]; %33:ref<i32[2]> = view %3 %31 [@,0:2]\n"               \
    "%34:ref<barrier[]> = view %4 %31 [@]; %35:ref<barrier[]> = view %5 %31 [@]\n" before          \
    "dma_start %32 %33 %34 loc=2; barrier_arrive %34 loc=3; yield }; yield } {\n"                  \
    "for %21 %22 %23 { (%40:i32[]) %41:i32[] = rem %40 %24\n"                                      \
    "%44:ref<barrier[]> = view %4 %41 [@]; %45:ref<barrier[]> = view %5 %41 [@]\n"                 \
    "barrier_wait %44 loc=4; %50:i32[2] = load %3 %41 [@,0:2] loc=5\n"                             \
    "store %2 %50 %40 [@,0:2] loc=6\n" behind " yield }; yield }\n"
#define WAITS_WHEN_FULL                                                                            \
    "%36:bool[] = ge %30 %24; switch %36 { yield } { barrier_wait %35 loc=1; yield }\n"
#define ARRIVES "barrier_arrive %45 loc=7;"
#define ARRIVES_IF_AWAITED                                                                         \
    "%46:i32[] = sub %22 %24; %47:bool[] = lt %40 %46\n"                                           \
    "switch %47 { yield } { barrier_arrive %45 loc=7; yield };"

static const int32_t ring[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const named ring_arrays[] = {{"x", ring}, {"o", ring}, {NULL, NULL}};

Test(barrier_checks, a_ring_of_two_slots)
{
    expect_found(RING("2", WAITS_WHEN_FULL, ARRIVES_IF_AWAITED), ring_arrays, "");
}

Test(barrier_checks, a_ring_of_three_slots)
{
    expect_found(RING("3", WAITS_WHEN_FULL, ARRIVES_IF_AWAITED), ring_arrays, "");
}

/* The last arrivals are not awaited, which a note says. */
Test(barrier_checks, a_ring_whose_last_slots_are_freed_as_well)
{
    expect_found(RING("2", WAITS_WHEN_FULL, ARRIVES), ring_arrays, "phases-left@1");
}

/* ---- a barrier of several chains ---- */

/* Each chain has its own barrier, in the same memory. */
Test(barrier_checks, each_chain_has_its_own_phases)
{
    expect_found(
        "grid 3 2t\nscratch b barrier[] arrivals=2\nbody\nbarrier_arrive %1; barrier_wait %1\n",
        nothing, "");
}

/* The phases go on from step to step, at whose end threads know of each other. */
Test(barrier_checks, steps_order_what_barriers_do_not)
{
    expect_found("grid 3a 2t\nscratch b barrier[] arrivals=1\nbody\n%20:i32[] = program_id axis=1\n"
                 "switch %20 { barrier_wait %1; yield } { barrier_arrive %1; yield }\n",
                 nothing, "");
}

Test(barrier_checks, steps_of_a_chain)
{
    expect_found(
        "grid 3a 2t\nscratch b barrier[] arrivals=2\nbody\nbarrier_arrive %1; barrier_wait %1\n",
        nothing, "");
}
