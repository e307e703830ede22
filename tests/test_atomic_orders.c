/* What atomics order by `sem` and `scope`, and which of them race with each other. */
#define _DEFAULT_SOURCE /* usleep */
#include <unistd.h>

#include "lower/lower.h"
#include "run/run.h"
#include "run_text.h"

static tg_report *checked(const tg_module *module, arrays *all, const char *order)
{
    const tg_run_options options = {.size = sizeof options, .order = order, .checks = "races"};
    return run_once(module, all, &options);
}

/* The number of races; `*is_said`: whether one of them says it.  Who waits for whom is a note. */
static size_t races_in(const tg_report *report, const char *says, bool *is_said)
{
    size_t count = 0;
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding finding = tg_report_finding(report, i);
        if (strcmp(finding.kind, "assumes-resident") == 0) continue;
        cr_assert_str_eq(finding.kind, "race", "%s", finding.message);
        *is_said = *is_said || strstr(finding.message, says);
        count++;
    }
    return count;
}

/* Runs the kernel in each order: there must be so many races, one of which says `says`. */
static void expect_races(const char *text, const named *inputs, size_t count, const char *says)
{
    tg_module *module = load_kernel(text);
    for (int o = 0; o < ORDERS; o++) {
        arrays all = make_arrays(module, inputs);
        tg_report *report = checked(module, &all, every_order[o]);
        bool is_said = count == 0;
        const size_t found = races_in(report, says, &is_said);
        if (found != count || !is_said) show_findings(report);
        cr_assert_eq(found, count, "%s: %s", every_order[o], text);
        cr_assert(is_said, "%s: %s", every_order[o], text);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

static const int32_t zeros[4] = {0};

#define START                                                                                      \
    "grid 3p\ninput f i32[1]\ninput x i32[1]\noutput flag i32[1] alias=f\noutput data i32[1] "     \
    "alias=x\noutput o i32[3]\nbody\n%10:i32[] = program_id axis=0; %11:i32[] = constant "         \
    "value=0; %12:i32[] = constant value=1; %13:i32[] = constant value=2\n"                        \
    "store %5 %11 %10 [@]\n"

/* Program 0 writes data and then the flag; program 1 waits for the flag, and then reads the data.  Program 2 comes
 * between by `other`. */
#define PASSED(raises, looks, other)                                                               \
    START "switch %10 { store %4 %12 %11 [@]\n" raises " } { while { " looks                       \
          "; %21:bool[] = eq %20 %11; yield %21 } { }\n%22:i32[] = load %4 %11 [@]; store %5 %22 " \
          "%10 [@] } { " other " }\n"

#define RAISED(sem) "%23:i32[] = atomic_rmw %3 %12 %11 [@] kind='xchg' " sem
#define LOOKED(sem) "%20:i32[] = atomic_rmw %3 %11 %11 [@] kind='add' " sem
#define COMPARED(sem) "%20:i32[] = atomic_cas %3 %13 %13 %11 [@] " sem
#define LOADED(sem) "%20:i32[] = load %3 %11 [@] " sem
#define STORED(sem) "store %3 %12 %11 [@] " sem

static void passes(const char *text, bool is_ordered)
{
    expect_races(text, NAMED({"f", zeros}, {"x", zeros}), is_ordered ? 0 : 1,
                 "nothing orders the two");
}

Test(atomic_orders, release_and_acquire)
{
    passes(PASSED(RAISED(""), LOOKED(""), ""), true);
    passes(PASSED(RAISED("sem='release'"), LOOKED("sem='acquire'"), ""), true);
    passes(PASSED(RAISED("sem='release' scope='sys'"), LOOKED("sem='acq_rel'"), ""), true);
    passes(PASSED(RAISED("sem='relaxed'"), LOOKED("sem='acquire'"), ""), false);
    passes(PASSED(RAISED("sem='release'"), LOOKED("sem='relaxed'"), ""), false);
    passes(PASSED(RAISED("sem='acquire'"), LOOKED("sem='acquire'"), ""), false);
    passes(PASSED(RAISED("sem='release'"), LOOKED("sem='release'"), ""), false);
}

Test(atomic_orders, loads_and_stores)
{
    passes(PASSED(STORED("sem='release'"), LOADED("sem='acquire'"), ""), true);
    passes(PASSED(STORED("sem='release'"), LOOKED("sem='acquire'"), ""), true);
    passes(PASSED(STORED("sem='relaxed'"), LOADED("sem='acquire'"), ""), false);
    passes(PASSED(STORED("sem='release'"), LOADED("sem='relaxed'"), ""), false);
}

/* Lets program 0 wait before it writes data, until program 1 looks at the flag; and program 1 between the moment when
 * detectors know of a look and the look itself, so that program 0 may raise the flag just there. */
static void hold_up(void *context, const tg_access_event *event)
{
    int *looks = context;
    const bool is_flag = event->param == 2, is_of_looker = event->program_index == 1;
    if (event->kind == TG_ACCESS_WRITE && event->program_index == 0 && event->param == 4)
        usleep(20000);
    if (is_flag && is_of_looker && event->kind & (TG_ACCESS_ATOMIC | TG_ACCESS_READ) &&
        ++*looks < 10)
        usleep(5000);
}

static size_t races_held_up(const char *text)
{
    tg_module *module = load_kernel(text);
    arrays all = make_arrays(module, NAMED({"f", zeros}, {"x", zeros}));
    int looks = 0;
    const tg_observer observer = {.wants = TG_ACCESS_WRITE | TG_ACCESS_ATOMIC | TG_ACCESS_READ,
                                  .context = &looks,
                                  .accessed = hold_up};
    tg_run_settings settings = {.elementwise = tg_elementwise_get(NULL),
                                .order = {.kind = TG_ORDER_PARALLEL, .threads = 2},
                                .checks = TG_CHECK_RACES,
                                .observer = &observer};
    tg_plan *plan = NULL;
    tg_runner *runner = NULL;
    tg_run_result result;
    tg_findings findings;
    tg_diags diags = {0};
    void *data[5];
    for (int p = 0; p < 5; p++) data[p] = all.list[p].tensor.data;
    cr_assert(tg_findings_init(&findings, 100));
    cr_assert_eq(tg_plan_new(module, &module->kernels[0], &plan, &diags), TG_OK);
    settings.plan = plan;
    cr_assert_eq(tg_runner_new(&settings, &runner, &diags), TG_OK);
    cr_assert_eq(tg_runner_run(runner, data, NULL, &findings, &result, &diags), TG_OK);
    size_t races = 0;
    for (size_t i = 0; i < findings.count; i++) races += findings.list[i].kind == TG_FINDING_RACE;
    tg_runner_free(runner);
    tg_plan_free(plan);
    tg_findings_free(&findings);
    free_arrays(&all);
    tg_module_free(module);
    return races;
}

/* On several threads: what a look sees, and what it takes on, are of one moment. */
Test(atomic_orders, are_one_step)
{
    cr_expect_eq(races_held_up(PASSED(RAISED("sem='release'"), LOOKED("sem='acquire'"), "")), 0);
    cr_expect_eq(races_held_up(PASSED(STORED("sem='release'"), LOOKED("sem='acquire'"), "")), 0);
    cr_expect_eq(races_held_up(PASSED(RAISED("sem='release'"), LOADED("sem='acquire'"), "")), 0);
    cr_expect_eq(races_held_up(PASSED(STORED("sem='release'"), LOADED("sem='acquire'"), "")), 0);
    cr_expect_eq(races_held_up(PASSED(STORED("sem='relaxed'"), LOADED("sem='acquire'"), "")), 1);
}

/* One that fails reads what has been released; but it has written nothing that could release. */
Test(atomic_orders, compare_and_swap_in_vain)
{
    passes(PASSED(RAISED("sem='release'"), COMPARED("sem='acquire'"), ""), true);
    passes(PASSED(RAISED("sem='release'"), COMPARED("sem='relaxed'"), ""), false);
    passes(
        PASSED("%24:i32[] = atomic_cas %3 %13 %12 %11 [@] sem='release'\n" RAISED("sem='relaxed'"),
               LOOKED("sem='acquire'"), ""),
        false);
}

/* An atomic of another program that reads and writes hands on what it has read.  A store of a program that has released
 * there before does, too; one of another program does not. */
Test(atomic_orders, chains)
{
    const char *const waits = "while { %30:i32[] = atomic_rmw %3 %11 %11 [@] kind='add' "
                              "sem='relaxed'; %31:bool[] = eq %30 %11; yield %31 } { }\n";
    char text[4096];
    /* program 1 waits by relaxed atomics, and takes on at last */
    static const char *const form =
        "%s switch %%10 { store %%4 %%12 %%11 [@]\n%%23:i32[] = atomic_rmw %%3 %%12 %%11 [@] "
        "kind='xchg' sem='release'\n%s } { while { %%20:i32[] = atomic_rmw %%3 %%11 %%11 [@] "
        "kind='add' sem='relaxed'; %%21:bool[] = lt %%20 %%13; yield %%21 } { }\n%%24:i32[] = "
        "atomic_rmw %%3 %%11 %%11 [@] kind='add' sem='acquire'; store %%5 %%24 %%10 [@]\n"
        "%%22:i32[] = load %%4 %%11 [@]; store %%5 %%22 %%10 [@] } { %s%s }\n";
    static const struct {
        const char *own, *other;
        bool is_ordered;
    } cases[] = {{"", "%32:i32[] = atomic_rmw %3 %12 %11 [@] kind='add' sem='relaxed'", true},
                 {"", "store %3 %13 %11 [@] sem='relaxed'", false},
                 {"", "store %3 %13 %11 [@] sem='release'", false},
                 {"store %3 %13 %11 [@] sem='relaxed'", "", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, form, START, cases[i].own, cases[i].other[0] ? waits : "",
                 cases[i].other);
        passes(text, cases[i].is_ordered);
    }
}

/* ---- atomics that are none for each other ---- */

#define EACH(atomic)                                                                               \
    "grid 2p\ninput x i32[2]\noutput o i32[2] alias=x\nbody\n%11:i32[] = constant value=0; "       \
    "%12:i32[] = constant value=1; %14:i64[] = constant value=1\n" atomic

Test(atomic_orders, scope)
{
    const named *const inputs = NAMED({"x", zeros});
    expect_races(EACH("%20:i32[] = atomic_rmw %2 %12 %11 [@] kind='add' sem='relaxed'\n"), inputs,
                 0, "");
    expect_races(EACH("%20:i32[] = atomic_rmw %2 %12 %11 [@] kind='add' scope='sys'\n"), inputs, 0,
                 "");
    expect_races(
        EACH("%20:i32[] = atomic_rmw %2 %12 %11 [@] kind='add' sem='relaxed' scope='cta'\n"),
        inputs, 1, "the scope is too small");
    expect_races(EACH("%20:i32[] = load %2 %11 [@] sem='relaxed' scope='cta'\n"), inputs, 0, "");
    expect_races(
        PASSED(RAISED("sem='release' scope='cta'"), LOOKED("sem='acquire' scope='cta'"), ""),
        NAMED({"f", zeros}, {"x", zeros}), 2, "the scope is too small");
    expect_races(PASSED(RAISED("sem='release'"), LOOKED("sem='acquire' scope='cta'"), ""),
                 NAMED({"f", zeros}, {"x", zeros}), 2, "the scope is too small");
}

Test(atomic_orders, width)
{
    const char *const text =
        "grid 2p\ninput x i32[2,1]\noutput o i32[2,1] alias=x\nbody\n%11:i32[] = constant value=0; "
        "%12:i32[] = constant value=1; %14:i64[] = constant value=1; %10:i32[] = program_id "
        "axis=0; %15:ref<i64[1,1]> = view_bitcast %2\n"
        "switch %10 { %20:i32[] = atomic_rmw %2 %12 %11 %11 [@,@] kind='add' } "
        "{ %21:i64[] = atomic_rmw %15 %14 %11 %11 [@,@] kind='add' }\n";
    expect_races(text, NAMED({"x", zeros}), 1, "different widths");
}

Test(atomic_orders, plain_accesses)
{
    const named *const inputs = NAMED({"x", zeros});
#define BESIDE(one, other)                                                                         \
    EACH("%10:i32[] = program_id axis=0\nswitch %10 { " one " } { " other " }\n")
    const char *const read = "program (1) reads it, and nothing";
    expect_races(BESIDE("store %2 %12 %11 [@] sem='relaxed'", "%20:i32[] = load %2 %11 [@]"),
                 inputs, 1, read);
    expect_races(BESIDE("store %2 %12 %11 [@]", "%20:i32[] = load %2 %11 [@] sem='acquire'"),
                 inputs, 1, "program (1) reads it by an atomic, and nothing");
    expect_races(BESIDE("%20:i32[] = load %2 %11 [@]", "%21:i32[] = load %2 %11 [@] sem='acquire'"),
                 inputs, 0, "");
    expect_races(
        BESIDE("store %2 %12 %11 [@] sem='relaxed'", "%21:i32[] = load %2 %11 [@] sem='acquire'"),
        inputs, 0, "");
}

/* ---- threads of one program ---- */

/* An atomic of scope cta is one for the threads of its program. */
Test(atomic_orders, threads)
{
#define THREADS(raises, looks)                                                                     \
    "grid 1p 2t\ninput f i32[1]\ninput x i32[1]\noutput flag i32[1] alias=f\noutput data i32[1] "  \
    "alias=x\noutput o i32[2]\nbody\n%10:i32[] = program_id axis=1; %11:i32[] = constant "         \
    "value=0; %12:i32[] = constant value=1; store %5 %11 %10 [@]\nswitch %10 { store %4 %12 %11 "  \
    "[@]\n" raises " } { while { " looks                                                           \
    "; %21:bool[] = eq %20 %11; yield %21 } { }\n%22:i32[] = load %4 %11 "                         \
    "[@]; store %5 %22 %10 [@] }\n"
    passes(THREADS(RAISED("sem='release' scope='cta'"), LOOKED("sem='acquire' scope='cta'")), true);
    passes(THREADS(RAISED("sem='release'"), LOOKED("sem='acquire' scope='cta'")), true);
    passes(THREADS(RAISED("sem='release' scope='cta'"), LOOKED("sem='acquire'")), true);
    passes(THREADS(RAISED("sem='relaxed' scope='cta'"), LOOKED("sem='acquire' scope='cta'")),
           false);
}
