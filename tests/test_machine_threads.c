/* Threads of a program: they share scratch, and barriers, semaphores and copies between them order
 * what they do. */
#include "run_text.h"
#include "thread_rounds.h"

static char *findings_text(const tg_report *report)
{
    tg_text text = {0};
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        tg_text_add(&text, "%s%s@%d", i ? "; " : "", f.kind, (int)f.line);
        for (size_t r = 0; r < f.related_count; r++)
            tg_text_add(&text, "-%d", (int)tg_report_related(report, i, r).line);
    }
    return tg_text_finish(&text);
}

/* Runs the kernel in every order with these checks: what is found is `wanted`, "KIND@LINE-LINE...;
 * ...", and the arrays come out as listed. */
static void check_with(const char *checks, const char *kernel, const named *list,
                       const char *wanted)
{
    static const char *const orders[] = {"sequential",    "reversed",      "shuffled:1",
                                         "shuffled:2",    "parallel:2",    "interleaved:1",
                                         "interleaved:2", "interleaved:3", "interleaved:4"};
    tg_module *module = load_kernel(kernel);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        const tg_run_options options = {
            .size = sizeof options, .order = orders[o], .checks = checks};
        arrays all = make_arrays(module, list);
        tg_report *report = run_once(module, &all, &options);
        char *found = findings_text(report);
        if (strcmp(found, wanted) != 0) show_findings(report);
        cr_assert_str_eq(found, wanted, "%s: %s", orders[o], found);
        compare_arrays(&all, orders[o]);
        free(found);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

static void check_kernel(const char *kernel, const named *list, const char *wanted)
{
    check_with("all", kernel, list, wanted);
}

/* %10 the chain, %11 the thread, %12 the other thread, %13 1, %14 0, %15 whether the thread is the
 * first. */
#define IDS                                                                                        \
    "%10:i32[] = program_id axis=0; %11:i32[] = program_id axis=1; %13:i32[] = constant value=1\n" \
    "%14:i32[] = constant value=0; %12:i32[] = sub %13 %11; %15:i32[] = convert %12\n"

/* Each puts its number into scratch, and takes that of the other one. */
#define EXCHANGE(between)                                                                          \
    "grid 2p 2t\noutput o i32[2,2]\nscratch s i32[2]\nscratch b barrier[2] arrivals=2\nbody\n" IDS \
    "%20:i32[] = add %10 %10; %21:i32[] = add %20 %11; store %2 %21 %11 [@] loc=1\n" between       \
    "%22:i32[] = load %2 %12 [@] loc=4; store %1 %22 %10 %11 [@,@] loc=5\n"

#define MEET(number)                                                                               \
    "%3" number ":i32[] = constant value=" number "; %4" number                                    \
    ":ref<barrier[]> = view %3 %3" number " [@]\n"                                                 \
    "barrier_arrive %4" number " loc=2; barrier_wait %4" number " loc=3\n"

static const int32_t exchanged[2][2] = {{1, 0}, {3, 2}};

Test(machine_threads, a_barrier_orders_them)
{
    check_kernel(EXCHANGE(MEET("0")), NAMED({"o", exchanged}), "");
}

Test(machine_threads, without_it_they_race)
{
    check_kernel("grid 2p 2t\noutput o i32[2,2]\nscratch s i32[2]\nbody\n" IDS
                 "store %2 %11 %11 [@] loc=1\n"
                 "%22:i32[] = load %2 %12 [@] loc=4; store %1 %10 %10 %11 [@,@] loc=5\n",
                 NAMED({0}), "race@1-4");
}

/* Who arrives and does not wait has no part in what others do next. */
Test(machine_threads, who_does_not_wait_is_not_ordered)
{
    check_kernel(
        "grid 1p 2t\noutput o i32[2]\nscratch s i32[2]\nscratch b barrier[] arrivals=2\nbody\n" IDS
        "store %2 %11 %11 [@] loc=1; barrier_arrive %3 loc=2\n"
        "%16:i32[] = switch %15 { barrier_wait %3 loc=3; %30:i32[] = load %2 %12 [@] loc=4; yield "
        "%30 } "
        "{ %31:i32[] = load %2 %12 [@] loc=5; yield %31 }\nstore %1 %11 %11 [@] loc=6\n",
        NAMED({0}), "race@1-5");
}

/* What was done after the arrival is not handed on by it. */
Test(machine_threads, an_arrival_hands_on_what_was_before_it)
{
    check_kernel(
        "grid 1p 2t\noutput o i32[2]\nscratch s i32[2]\nscratch b barrier[] arrivals=2\nbody\n" IDS
        "barrier_arrive %3 loc=2; store %2 %11 %11 [@] loc=1; barrier_wait %3 loc=3\n"
        "%22:i32[] = load %2 %12 [@] loc=4; store %1 %11 %11 [@] loc=5\n",
        NAMED({0}), "race@1-4");
}

/* The first thread fills a slot, the second one empties it, many times: two barriers, whose phases
 * go round. */
#define PIPELINE(after)                                                                            \
    "grid 1p 2t\noutput o i32[6]\nscratch s i32[2]\nscratch full barrier[2] arrivals=1\n"          \
    "scratch empty barrier[2] arrivals=1\nbody\n" IDS                                              \
    "%16:i32[] = constant value=6; %17:i32[] = constant value=2\n"                                 \
    "for %14 %16 %13 { (%20:i32[]) %21:i32[] = rem %20 %17\n"                                      \
    "%22:ref<barrier[]> = view %3 %21 [@]; %23:ref<barrier[]> = view %4 %21 [@]\n"                 \
    "switch %11 { %24:bool[] = ge %20 %17; switch %24 { yield } { barrier_wait %23 loc=1 }\n"      \
    "%25:i32[] = mul %20 %20; store %2 %25 %21 [@] loc=2; barrier_arrive %22 loc=3 } "             \
    "{ barrier_wait %22 loc=4; %26:i32[] = load %2 %21 [@] loc=5; store %1 %26 %20 [@] "           \
    "loc=6\n" after " }; yield }\n"

Test(machine_threads, phases_go_round)
{
    static const int32_t o[6] = {0, 1, 4, 9, 16, 25};
    check_kernel(PIPELINE("%27:i32[] = sub %16 %17; %28:bool[] = lt %20 %27\n"
                          "switch %28 { yield } { barrier_arrive %23 loc=7; yield }"),
                 NAMED({"o", o}), "");
}

Test(machine_threads, nobody_is_left_to_arrive)
{
    check_kernel(PIPELINE(""), NAMED({0}), "deadlock@1-4; deadlock@4-1; output-unwritten@9");
}

Test(machine_threads, all_wait_and_not_enough_arrive)
{
    check_kernel("grid 2p 2t\noutput o i32[2]\nscratch b barrier[] arrivals=3\nbody\n" IDS
                 "store %1 %10 %10 [@] loc=1; barrier_arrive %2 loc=2; barrier_wait %2 loc=3\n",
                 NAMED({0}), "race-same-value@1-1; deadlock@3-3-3-3");
}

/* A phase that is not complete where the program ends. */
Test(machine_threads, an_arrival_too_many)
{
    check_kernel("grid 1p 2t\nscratch b barrier[] arrivals=2\nbody\n" IDS
                 "barrier_arrive %1 loc=2; barrier_wait %1 loc=3\n"
                 "switch %11 { barrier_arrive %1 loc=4 } { yield }\n",
                 NAMED({0}), "semaphore-left@4");
}

/* Steps of a chain begin when all threads have ended the last one. */
Test(machine_threads, steps_are_in_order)
{
    static const int32_t o[2][2] = {{12, 11}, {12, 11}};
    check_kernel(
        "grid 2p 2t 3a\noutput o i32[2,2]\nscratch s i32[2]\nbody\n" IDS
        "%16:i32[] = program_id axis=2; %17:i32[] = constant value=10; %18:i32[] = mul %16 %17\n"
        "%19:i32[] = add %11 %18; %23:i32[] = constant value=2; %24:bool[] = eq %16 %13\n"
        "%25:i32[] = rem %16 %23\n"
        "switch %24 { %20:bool[] = eq %16 %23; switch %20 { yield } "
        "{ %22:i32[] = load %2 %12 [@] loc=4; %26:i32[] = add %22 %13; store %1 %26 %10 %11 [@,@] "
        "loc=5 } } "
        "{ store %2 %19 %11 [@] loc=1 }\n",
        NAMED({"o", o}), "");
}

/* Semaphores and loops that look at memory work between threads as they do between chains. */
Test(machine_threads, semaphores)
{
    static const int32_t o[1] = {7};
    check_kernel(
        "grid 1p 2t\noutput o i32[1]\nscratch s i32[]\nscratch f sem[]\nbody\n" IDS
        "switch %11 { semaphore_wait %3 %13 loc=1; %20:i32[] = load %2 [] loc=2; store %1 %20 %14 "
        "[@] } "
        "{ %21:i32[] = constant value=7; store %2 %21 [] loc=3; semaphore_signal %3 %13 loc=4 }\n",
        NAMED({"o", o}), "");
}

Test(machine_threads, loops_that_look_at_scratch)
{
    static const int32_t o[1] = {7};
    check_kernel("grid 1p 2t\noutput o i32[1]\nscratch s i32[]\nscratch f i32[]\nscratch b "
                 "barrier[] arrivals=2\nbody\n" IDS
                 "switch %11 { store %3 %14 [] } { yield }\nbarrier_arrive %4; barrier_wait %4\n"
                 "switch %11 { while { %30:i32[] = atomic_rmw %3 %14 [] kind='add'; %31:bool[] = "
                 "eq %30 %14; yield %31 } { yield }\n"
                 "%20:i32[] = load %2 [] loc=2; store %1 %20 %14 [@] } "
                 "{ %21:i32[] = constant value=7; store %2 %21 [] loc=3; %32:i32[] = atomic_rmw %3 "
                 "%13 [] kind='add' loc=4\n"
                 "%33:i32[] = add %32 %32; %34:bool[] = eq %33 %13; switch %34 { yield } { store "
                 "%1 %33 %14 [@] } }\n",
                 NAMED({"o", o}), "");
}

/* One thread starts a copy, the other one waits for it. */
#define COPY(wait)                                                                                 \
    "grid 2p 2t\ninput x i32[4]\noutput o i32[2,4]\nscratch s i32[4]\nscratch d dma_sem[]\n"       \
    "scratch b barrier[] arrivals=2\nbody\n" IDS                                                   \
    "switch %11 { dma_start %1 %3 %4 loc=1; barrier_arrive %5 } "                                  \
    "{ " wait " %20:i32[4] = load %3 [0:4] loc=3; store %2 %20 %10 [@,0:4]; barrier_arrive %5 }\n" \
    "barrier_wait %5\n"

Test(machine_threads, a_copy_that_another_thread_waits_for)
{
    static const int32_t x[4] = {1, 2, 3, 4}, o[2][4] = {{1, 2, 3, 4}, {1, 2, 3, 4}};
    check_kernel(COPY("dma_wait %3 %4 loc=2;"), NAMED({"x", x}, {"o", o}), "");
}

Test(machine_threads, a_copy_that_nobody_has_waited_for)
{
    check_with(
        "races",
        "grid 2p 2t\ninput x i32[4]\noutput o i32[2,4]\nscratch s i32[4]\nscratch d dma_sem[]\n"
        "scratch b barrier[] arrivals=2\nbody\n" IDS
        "switch %11 { dma_start %1 %3 %4 loc=1 } { yield }\nbarrier_arrive %5; barrier_wait %5\n"
        "switch %11 { dma_wait %3 %4 } { %20:i32[4] = load %3 [0:4] loc=3; %21:i32[4] = sub %20 "
        "%20\n"
        "%22:i32[4] = mul %21 %21; store %2 %22 %10 [@,0:4] }\n",
        NAMED({"x", (int32_t[4]){1, 2, 3, 4}}), "race@1-3");
}

/* Where copies are as late as may be, they still take place before another chain begins, which would
 * change the source. */
Test(machine_threads, a_copy_is_before_the_next_chain)
{
    static const int32_t o[2] = {0, 1};
    tg_module *module =
        load_kernel("grid 2p 2t\noutput o i32[2]\noutput t i32[4]\nscratch s i32[4]\n"
                    "scratch b barrier[] arrivals=1\nbody\n" IDS
                    "switch %11 { %21:i32[4] = broadcast_in_dim %10 dims=[]; store %2 %21 [0:4]\n"
                    "dma_start %2 %3 %4; barrier_arrive %4 } "
                    "{ barrier_wait %4; %20:i32[] = load %3 %14 [@]; store %1 %20 %10 [@] }\n");
    const tg_run_options options = {.size = sizeof options, .order = "sequential"};
    arrays all = make_arrays(module, NAMED({"o", o}));
    tg_report_free(run_once(module, &all, &options));
    compare_arrays(&all, "sequential");
    free_arrays(&all);
    tg_module_free(module);
}

/* Scratch that no thread has written is undefined for all of them, and defined once one of them
 * has. */
Test(machine_threads, scratch_is_undefined_until_a_thread_writes_it)
{
    check_kernel(
        "grid 1p 2t\noutput o i32[2]\nscratch s i32[2]\nscratch b barrier[] arrivals=2\nbody\n" IDS
        "switch %11 { store %2 %13 %14 [@] loc=1 } { yield }\nbarrier_arrive %3; barrier_wait %3\n"
        "%20:i32[] = load %2 %11 [@] loc=2; store %1 %20 %11 [@] loc=3\n",
        NAMED({0}), "undefined-output@3-2-9");
}

/* Chains of threads that signal each other. */
Test(machine_threads, of_chains_that_signal_each_other)
{
    static const int32_t o[2][2] = {{10, 11}, {0, 1}};
    check_kernel(
        "grid 2p 2t\noutput o i32[2,2]\nscratch f sem[]\nbody\n" IDS
        "%16:i32[] = sub %13 %10; %17:i32[] = constant value=10; %18:i32[] = mul %16 %17\n"
        "%19:i32[] = add %18 %11\n"
        "switch %11 { semaphore_signal %2 %13 %16 loc=1 } { semaphore_wait %2 %13 loc=2 }\n"
        "store %1 %19 %10 %11 [@,@] loc=3\n",
        NAMED({"o", o}), "");
}

/* ---- drawn by lot ---- */

Test(machine_threads, random_rounds)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        const thread_rounds r = thread_rounds_draw(seed);
        int32_t out[8];
        char *kernel = thread_rounds_kernel(&r);
        thread_rounds_evaluate(&r, out);
        if (thread_rounds_race(&r))
            check_kernel(kernel, NAMED({0}), "race@1-2");
        else
            check_kernel(kernel, NAMED({"o", out}), "");
        free(kernel);
    }
}

/* ---- what is refused ---- */

static void check_refused(const char *kernel, const char *target, const char *backend,
                          const char *wanted)
{
    tg_module *module = load_kernel(kernel);
    tg_errors *errors = tg_errors_new();
    tg_report *report = NULL;
    const tg_run_options options = {.size = sizeof options, .target = target, .backend = backend};
    arrays all = make_arrays(module, NAMED({0}));
    cr_expect_eq(tg_run(module, NULL, all.list, all.count, &options, &report, errors),
                 TG_ERR_UNSUPPORTED);
    cr_assert(tg_errors_count(errors) > 0);
    cr_expect_not_null(strstr(tg_errors_get(errors, 0).message, wanted), "%s",
                       tg_errors_get(errors, 0).message);
    tg_errors_free(errors);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

Test(machine_threads, refused)
{
    check_refused(EXCHANGE(MEET("0")), "tpu", NULL,
                  "an axis of the grid is one of threads, which a TPU does not have");
}

/* The second thread begins when the first one has waited twice for the first barrier, and waits once, for
 * phase 2: without `followers`, that wait is for phase 0, and over before the store. */
#define FOLLOWED(attr)                                                                             \
    "grid 1p 2t\noutput o i32[1]\nscratch s i32[]\nscratch b barrier[] arrivals=1\n"               \
    "scratch c barrier[] arrivals=1\nbody\n" IDS                                                   \
    "switch %11 { barrier_arrive %3; barrier_wait %3 " attr                                        \
    "\nbarrier_arrive %3; barrier_wait %3 " attr                                                   \
    "\nstore %2 %14 [] loc=1; barrier_arrive %4; store %2 %13 [] loc=2; barrier_arrive %3 } "      \
    "{ barrier_wait %4; barrier_wait %3; %20:i32[] = load %2 [] loc=3; store %1 %20 %14 [@] }\n"

Test(machine_threads, waits_count_for_those_that_follow)
{
    static const int32_t o[1] = {1};
    check_kernel(FOLLOWED("followers=1"), NAMED({"o", o}), "");
    check_with("races", FOLLOWED(""), NAMED({0}), "race@2-3; phase-missed@0-0");
}

/* A thread that waits for work. */
Test(machine_threads, a_deadlock_is_not_that_of_an_idle_thread)
{
#define WORKER(attr)                                                                               \
    "grid 1p 2t\noutput o i32[1]\nscratch b barrier[] arrivals=1\nscratch c barrier[] "            \
    "arrivals=1\n"                                                                                 \
    "body\n" IDS "switch %11 { store %1 %13 %14 [@]; barrier_wait %2 loc=1 } "                     \
    "{ barrier_wait %3 " attr " loc=2 }\n"
    check_with(NULL, WORKER(""), NAMED({0}), "deadlock@1-2; deadlock@2-1");
    check_with(NULL, WORKER("idle=true"), NAMED({0}), "deadlock@1");
}

/* The first thread waits for the copies of the second one. */
Test(machine_threads, groups_of_those_that_follow)
{
#define GROUPS(attr)                                                                               \
    "grid 1p 2t\ninput x i32[4]\noutput o i32[4]\noutput p i32[4]\nscratch s i32[4]\n"             \
    "scratch b barrier[] arrivals=1\nbody\n" IDS                                                   \
    "switch %11 { barrier_wait %5; dma_wait_groups %14 " attr " loc=1; "                           \
    "%20:i32[4] = load %2 [0:4] loc=2; store %3 %20 [0:4] } "                                      \
    "{ %21:i32[4] = load %1 [0:4]; store %4 %21 [0:4]; proxy_fence; dma_start %4 %2 loc=3; "       \
    "dma_commit; barrier_arrive %5 }\n"
    static const int32_t x[4] = {1, 2, 3, 4};
    check_with("races", GROUPS("followers=1"), NAMED({"x", x}, {"o", x}, {"p", x}), "");
    check_with("races", GROUPS(""), NAMED({"x", x}), "race@3-2; dma-not-awaited@3");
}
