/* Ops that all threads execute together: some that execute them alone are found, in any order. */
#include "run_findings.h"

static const int32_t one[1] = {1};

/* %2 is 0, %3 is 1, %4 the number of the thread along the first axis, %5 that along the second one. */
#define THREADS(grid, body)                                                                        \
    "grid " grid "\noutput o i32[1]\nbody\n"                                                       \
    "%2:i32[] = constant value=0; %3:i32[] = constant value=1\n"                                   \
    "%20:i32[1] = constant value=1; store %1 %20 [0:1]\n"                                          \
    "%4:i32[] = program_id axis=0; %5:i32[] = program_id axis=1\n" body "\n"

static void expect_named(const char *kernel, const char *wanted)
{
    tg_module *module = load_kernel(kernel);
    for (int o = 0; o < ORDERS; o++) {
        const tg_run_options options = {.size = sizeof options, .order = every_order[o]};
        arrays all = make_arrays(module, NAMED({"o", one}));
        tg_report *report = run_once(module, &all, &options);
        char *found = findings_text(report);
        cr_assert_str_eq(found, wanted, "%s: %s", every_order[o], found);
        free(found);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

Test(collectives, all_execute_it)
{
    expect_named(THREADS("2t 2t", "collective along=[0,1] loc=1; collective along=[1] loc=2"), "");
    expect_named(THREADS("2t 2t", "for %2 %3 %3 { (%6:i32[]) collective along=[0,1]; yield }"), "");
}

Test(collectives, a_thread_does_not_execute_it)
{
    expect_named(THREADS("2t 2t", "switch %5 { collective along=[1] loc=1; yield } { yield }"),
                 "collective-diverged@1");
    expect_named(THREADS("2t 2t", "switch %5 { yield } { collective along=[0,1] loc=1; yield }"),
                 "collective-diverged@1");
}

Test(collectives, a_thread_executes_it_more_often)
{
    expect_named(THREADS("2t 2t", "for %2 %5 %3 { (%6:i32[]) collective along=[1] loc=1; yield }"),
                 "collective-diverged@1");
}

/* Each in a branch of its own. */
Test(collectives, two_ops_are_two)
{
    expect_named(THREADS("2t 2t", "switch %5 { collective along=[1] loc=1; yield } "
                                  "{ collective along=[1] loc=2; yield }"),
                 "collective-diverged@1; collective-diverged@2");
}

/* Those that differ on an axis before may do other things. */
Test(collectives, only_along_their_axes)
{
    expect_named(THREADS("2t 2t", "switch %4 { collective along=[1] loc=1; yield } { yield }"), "");
}

/* The threads of a block count as one for what its cluster does. */
Test(collectives, later_axes_count_together)
{
    expect_named(THREADS("2t 2t", "switch %5 { collective along=[0] loc=1; yield } { yield }"), "");
    expect_named(THREADS("2t 2t", "switch %4 { collective along=[0] loc=1; yield } { yield }"),
                 "collective-diverged@1");
}

static void expect_message(const char *kernel, const char *wanted)
{
    tg_module *module = load_kernel(kernel);
    const tg_run_options options = {.size = sizeof options};
    arrays all = make_arrays(module, NAMED({"o", one}));
    tg_report *report = run_once(module, &all, &options);
    cr_assert_eq(tg_report_finding_count(report), 1);
    cr_expect_str_eq(tg_report_finding(report, 0).message, wanted);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

#define ALL_MUST ": all that differ along axis without a name must execute it together"

Test(collectives, says_who_and_how_often)
{
    expect_message(
        THREADS("2t 2t", "switch %5 { collective along=[1] name='run_scoped'; yield } { yield }"),
        "thread (0, 0) executes run_scoped 1 time, thread (0, 1) 0" ALL_MUST);
}

/* In the first one all threads execute it. */
Test(collectives, each_chain_counts_for_itself)
{
    expect_message("grid 2p 2t\noutput o i32[1]\nbody\n"
                   "%2:i32[] = constant value=0; %3:i32[] = constant value=1\n"
                   "%20:i32[1] = constant value=1; %4:i32[] = program_id axis=0\n"
                   "%5:i32[] = program_id axis=1; %6:i32[] = mul %4 %5\n"
                   "%8:i32[] = add %4 %5; switch %8 { store %1 %20 [0:1]; yield } { yield }\n"
                   "%7:i32[] = sub %3 %6\n"
                   "for %2 %7 %3 { (%9:i32[]) collective along=[1]; yield }\n",
                   "thread (1, 0) executes collective 1 time, thread (1, 1) 0" ALL_MUST);
}

/* Who waits for ever has been told. */
Test(collectives, not_behind_a_deadlock)
{
    expect_named("grid 2t\noutput o i32[1]\nscratch b barrier[] arrivals=1\nbody\n"
                 "%20:i32[1] = constant value=1; store %1 %20 [0:1]; %4:i32[] = program_id axis=0\n"
                 "switch %4 { barrier_wait %2 loc=1; yield } { yield }; collective along=[0]\n",
                 "deadlock@1");
}
