/* Chains that signal each other's semaphores, as the cores of a device do: the same bits in every
 * order, waits that never end, and what signals order. */
#include "run_text.h"

typedef struct expectation {
    const char *findings; /* "KIND@LINE by PROGRAM; ..." */
    const char *checks;
} expectation;

static char *findings_text(const tg_report *report)
{
    tg_text text = {0};
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        tg_text_add(&text, "%s%s@%d by %d", i ? "; " : "", f.kind, (int)f.line,
                    f.program ? (int)f.program[0] : -1);
    }
    return tg_text_finish(&text);
}

/* Runs the kernel in every order; the arrays come out as listed. */
static void check_kernel(const char *kernel, const named *list, expectation wanted)
{
    tg_module *module = load_kernel(kernel);
    for (int o = 0; o < ORDERS; o++) {
        const tg_run_options options = {
            .size = sizeof options, .order = every_order[o], .checks = wanted.checks};
        arrays all = make_arrays(module, list);
        tg_report *report = run_once(module, &all, &options);
        char *found = findings_text(report);
        if (strcmp(found, wanted.findings) != 0) show_findings(report);
        cr_assert_str_eq(found, wanted.findings, "%s", every_order[o]);
        compare_arrays(&all, every_order[o]);
        free(found);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

#define ID                                                                                         \
    "%10:i32[] = program_id axis=0; %11:i32[] = constant value=1; %12:i32[] = constant value=0\n"

/* Everyone signals everyone, and waits for all: nobody is through before all have come. */
#define BARRIER                                                                                    \
    "%13:i32[] = constant value=4\n"                                                               \
    "for %12 %13 %11 { (%20:i32[]) semaphore_signal %2 %11 %20 loc=1; yield }\n"                   \
    "semaphore_wait %2 %13 loc=2\n"

Test(machine_chains, a_barrier)
{
    static const int32_t o[4] = {0, 1, 2, 3};
    check_kernel("grid 4\noutput o i32[4]\nscratch s sem[]\nbody\n" ID BARRIER
                 "store %1 %10 %10 [@] loc=3\n",
                 NAMED({"o", o}), (expectation){"", "all"});
}

/* Each waits for the one before it, adds to what that has written, and lets the next one go on. */
#define RELAY                                                                                      \
    ID "%13:i32[] = sub %10 %11; %14:bool[] = gt %10 %12\n"                                        \
       "%15:i32[] = switch %14 { yield %11 } { semaphore_wait %3 %11 loc=1\n"                      \
       "%30:i32[] = load %2 %13 [@] loc=2; %31:i32[] = add %30 %30; yield %31 }\n"                 \
       "store %2 %15 %10 [@] loc=3\n"                                                              \
       "%16:i32[] = add %10 %11; %17:i32[] = constant value=5; %18:bool[] = lt %16 %17\n"          \
       "switch %18 { yield } { semaphore_signal %3 %11 %16 loc=4 }\n"

Test(machine_chains, a_relay)
{
    static const int32_t x[5], o[5] = {1, 2, 4, 8, 16};
    check_kernel("grid 5\ninput x i32[5]\noutput o i32[5] alias=x\nscratch s sem[]\nbody\n" RELAY,
                 NAMED({"x", x}, {"o", o}), (expectation){"", "all"});
}

/* A semaphore of several, in programs of several steps: the signal of the first step is waited for
 * in the last one. */
Test(machine_chains, from_step_to_step)
{
    static const int32_t o[2] = {7, 7};
    check_kernel(
        "grid 2 3a\noutput o i32[2]\nscratch s sem[3]\nbody\n" ID
        "%13:i32[] = program_id axis=1; %14:i32[] = constant value=2; %15:i32[] = sub %11 %10\n"
        "%16:ref<sem[]> = view %2 %14 [@]; %17:bool[] = eq %13 %12; %18:bool[] = eq %13 %14\n"
        "switch %17 { yield } { semaphore_signal %16 %11 %15 loc=1 }\n"
        "switch %18 { yield } { semaphore_wait %16 %11 loc=2\n"
        "%30:i32[] = constant value=7; store %1 %30 %10 [@] loc=3 }\n",
        NAMED({"o", o}), (expectation){"", "races"});
}

/* Two that wait for each other end; all others go on. */
Test(machine_chains, waits_that_never_end)
{
    static const int32_t x[3], o[3] = {0, 0, 5};
    check_kernel("grid 3\ninput x i32[3]\noutput o i32[3] alias=x\nscratch s sem[]\nbody\n" ID
                 "%13:i32[] = constant value=2; %14:bool[] = lt %10 %13; %15:i32[] = sub %11 %10\n"
                 "switch %14 { %30:i32[] = constant value=5; store %2 %30 %10 [@]; yield } "
                 "{ semaphore_wait %3 %11 loc=1; semaphore_signal %3 %11 %15 loc=2 }\n",
                 NAMED({"x", x}, {"o", o}), (expectation){"deadlock@1 by 0", "all"});
}

Test(machine_chains, signals_that_nobody_waits_for)
{
    check_kernel("grid 2\nscratch s sem[]\nbody\n" ID
                 "%13:i32[] = sub %11 %10; %14:bool[] = eq %10 %12\n"
                 "switch %14 { yield } { semaphore_signal %1 %11 %13 loc=3 }\n",
                 NAMED({0}), (expectation){"semaphore-left@3 by 0", NULL});
}

Test(machine_chains, chains_that_are_not_there)
{
    check_kernel("grid 2\nscratch s sem[]\nbody\n" ID
                 "%13:i32[] = sub %10 %11; %14:bool[] = eq %10 %12\n"
                 "switch %14 { yield } { semaphore_signal %1 %11 %13 loc=3 }\n",
                 NAMED({0}), (expectation){"access-outside-ref@3 by 0", NULL});
}

/* Without the wait the read races with the write, and without the signals nothing is ordered. */
Test(machine_chains, races)
{
    check_kernel(
        "grid 2\ninput x i32[1]\noutput o i32[1] alias=x\nscratch s sem[]\nbody\n" ID
        "%13:bool[] = eq %10 %12\n"
        "switch %13 { semaphore_wait %3 %11 loc=1; %30:i32[] = load %2 %12 [@] loc=2; yield } "
        "{ store %2 %11 %12 [@] loc=3; semaphore_signal %3 %11 %11 loc=4 }\n",
        NAMED({"x", (const int32_t[]){0}}, {"o", (const int32_t[]){1}}),
        (expectation){"", "races"});
    check_kernel(
        "grid 2\ninput x i32[1]\noutput o i32[1] alias=x\nscratch s sem[]\nbody\n" ID
        "%13:bool[] = eq %10 %12\n"
        "switch %13 { %30:i32[] = load %2 %12 [@] loc=2; semaphore_wait %3 %11 loc=1; yield } "
        "{ store %2 %11 %12 [@] loc=3; semaphore_signal %3 %11 %11 loc=4 }\n",
        NAMED({"x", (const int32_t[]){0}}, {"o", (const int32_t[]){1}}),
        (expectation){"race@3 by 0", "races"});
}

/* All of them would be in flight at once. */
Test(machine_chains, too_many)
{
    tg_module *module = load_kernel("grid 1025\nscratch s sem[]\nbody\n" ID
                                    "semaphore_signal %1 %11 %10\nsemaphore_wait %1 %11\n");
    tg_errors *errors = tg_errors_new();
    tg_report *report = NULL;
    cr_assert_eq(tg_run(module, NULL, NULL, 0, NULL, &report, errors), TG_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(tg_errors_get(errors, 0).message, "1025 chains"), "%s",
                       tg_errors_get(errors, 0).message);
    tg_errors_free(errors);
    tg_module_free(module);
}

/* A chain tells another one that memory is ready, while a copy of its own is still on its way
 * there: it has to wait for it first. */
#define TELLS_OF_A_COPY(before, after)                                                             \
    "grid 2\ninput x i32[4]\noutput y i32[4]\noutput o i32[4]\nscratch s sem[]\n"                  \
    "scratch d dma_sem[]\nbody\n" ID "switch %10 { dma_start %1 %2 %5 loc=1; " before              \
    "semaphore_signal %4 %11 %11; " after " } "                                                    \
    "{ semaphore_wait %4 %11; %20:i32[4] = load %2 [0:4] loc=2; %21:i32[4] = sub %20 %20\n"        \
    "store %3 %21 [0:4] }\n"
#define WAITS "dma_wait %2 %5;"

Test(machine_chains, a_copy_that_is_done)
{
    static const int32_t x[4] = {1, 2, 3, 4}, o[4] = {0};
    check_kernel(TELLS_OF_A_COPY(WAITS, ""), NAMED({"x", x}, {"y", x}, {"o", o}),
                 (expectation){"", "all"});
}

Test(machine_chains, a_copy_that_is_still_on_its_way)
{
    static const int32_t x[4] = {1, 2, 3, 4};
    check_kernel(TELLS_OF_A_COPY("", WAITS), NAMED({"x", x}, {"y", x}),
                 (expectation){"race@1 by 0", "races"});
}

/* ---- semaphores that all programs share ---- */

/* All signal, and all wait for all; what is left in it is no fault. */
Test(machine_chains, a_shared_counter)
{
    static const int32_t o[4] = {4, 4, 4, 4};
    check_kernel("grid 4\noutput o i32[4]\nscratch s sem[] shared\nbody\n" ID
                 "%13:i32[] = constant value=4\nsemaphore_signal %2 %11\n"
                 "semaphore_wait %2 %13 keep=true\n%14:i32[] = semaphore_read %2\n"
                 "store %1 %14 %10 [@]\n",
                 NAMED({"o", o}), (expectation){"", "all"});
}

/* One of two raises it, the other one lowers it: both are ordered by it. */
#define HANDS_OVER(first, second)                                                                  \
    "grid 2\ninput x i32[1]\noutput o i32[1] alias=x\nscratch s sem[2] shared\nbody\n" ID          \
    "%13:bool[] = eq %10 %12; %14:ref<sem[]> = view %3 %11 [@]\n"                                  \
    "switch %13 { " first                                                                          \
    " yield } { store %2 %11 %12 [@] loc=3; semaphore_signal %14 %11 loc=4; " second " }\n"

Test(machine_chains, a_shared_one_orders)
{
    check_kernel(HANDS_OVER("semaphore_wait %14 %11 loc=1; %30:i32[] = load %2 %12 [@] loc=2;", ""),
                 NAMED({"x", (const int32_t[]){0}}, {"o", (const int32_t[]){1}}),
                 (expectation){"", "all"});
    check_kernel(HANDS_OVER("%30:i32[] = load %2 %12 [@] loc=2; semaphore_wait %14 %11 loc=1;", ""),
                 NAMED({"x", (const int32_t[]){0}}, {"o", (const int32_t[]){1}}),
                 (expectation){"race@3 by 0", "races"});
}

Test(machine_chains, a_shared_one_that_nobody_raises_again)
{
    check_kernel(HANDS_OVER("semaphore_wait %14 %11; semaphore_wait %14 %11 loc=1;", ""),
                 NAMED({"x", (const int32_t[]){0}}, {"o", (const int32_t[]){1}}),
                 (expectation){"deadlock@1 by 1", NULL});
}

/* Threads of two programs. */
Test(machine_chains, a_shared_one_of_threads)
{
    static const int32_t o[1] = {4};
    check_kernel("grid 2p 2t\noutput o i32[1]\nscratch s sem[] shared\nbody\n" ID
                 "%13:i32[] = constant value=4; %14:i32[] = program_id axis=1\n"
                 "semaphore_signal %2 %11; %15:i32[] = add %10 %14; %16:bool[] = eq %15 %12\n"
                 "switch %16 { yield } { semaphore_wait %2 %13; store %1 %13 %12 [@] }\n",
                 NAMED({"o", o}), (expectation){"", "all"});
}

Test(machine_chains, a_shared_one_of_another_chain)
{
    tg_module *module =
        load_kernel("grid 2\nscratch s sem[] shared\nbody\n" ID "semaphore_signal %1 %11 %10\n");
    tg_errors *errors = tg_errors_new();
    tg_report *report = NULL;
    cr_assert_eq(tg_run(module, NULL, NULL, 0, NULL, &report, errors), TG_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(tg_errors_get(errors, 0).message, "is shared by all programs"), "%s",
                       tg_errors_get(errors, 0).message);
    tg_errors_free(errors);
    tg_module_free(module);
}
