/* Programs that wait in loops: others run, in every order; and what nobody can end is found. */
#include "check_text.h"
#include "sampled.h"

static const int32_t zeros[4] = {0}, seven[1] = {7};

/* %10 is the program, %11 is 0, %12 is 1. */
#define BEGIN                                                                                      \
    "body\n%10:i32[] = program_id axis=0; %11:i32[] = constant value=0; %12:i32[] = constant "     \
    "value=1\n"
/* Waits until element `at` of parameter 3 is not 0. */
#define WAIT_FOR(at, loc)                                                                          \
    "while loc=" loc " { %30:i32[] = atomic_rmw %3 %11 " at " [@] kind='add' loc=9; "              \
    "%31:bool[] = eq %30 %11; yield %31 } { }\n"
#define SET(at) "%40:i32[] = atomic_rmw %3 %12 " at " [@] kind='xchg' loc=8\n"

/* Program `waiter` of two waits for the flag, which the other one sets behind its value. */
#define FLAG(waiter)                                                                               \
    "grid 2\ninput x i32[1]\ninput z i32[4]\noutput f i32[4] alias=z\noutput v i32[1]\noutput o "  \
    "i32[1]\n" BEGIN "%13:i32[] = constant value=" waiter "; %14:bool[] = eq %10 %13; "            \
    "%15:i32[] = convert %14\n"                                                                    \
    "switch %15 { %16:i32[] = load %1 %11 [@]; store %4 %16 %11 [@]; " SET(                        \
        "%11") " } "                                                                               \
               "{ " WAIT_FOR("%11", "1") " %17:i32[] = load %4 %11 [@]; store %5 %17 %11 [@] }\n"

static void flag_is_waited_for(const char *text)
{
    static const int32_t set[4] = {1};
    tg_module *module = load_kernel(text);
    for (int o = 0; o < ORDERS; o++) {
        arrays all = make_arrays(
            module, NAMED({"x", seven}, {"z", zeros}, {"f", set}, {"v", seven}, {"o", seven}));
        const tg_run_options options = {
            .size = sizeof options, .order = every_order[o], .checks = "all"};
        tg_report *report = run_once(module, &all, &options);
        compare_arrays(&all, every_order[o]);
        cr_assert_eq(tg_report_finding_count(report), count_findings(report, "assumes-resident"));
        cr_assert_eq(tg_report_stats(report).programs, 2);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

Test(spin, a_flag_is_waited_for)
{
    flag_is_waited_for(FLAG("0"));
    flag_is_waited_for(FLAG("1"));
}

/* Program 0 waits for program 1, which begins later in order sequential, and earlier in order reversed. */
Test(spin, who_must_be_resident)
{
    tg_module *module = load_kernel(FLAG("0"));
    arrays all = make_arrays(module, NAMED({"x", seven}, {"z", zeros}));
    tg_run_options options = {.size = sizeof options, .order = "sequential"};
    char line[2000];
    tg_report *report = run_once(module, &all, &options);
    cr_assert_eq(tg_report_finding_count(report), 1);
    finding_line(report, 0, line, sizeof line);
    cr_assert_str_eq(
        line,
        "note assumes-resident while 1 (0) f[0..0]: program (0) waits in this loop for f[0], which "
        "is 0, "
        "until program (1) changes it, which had not begun: they must be resident together, or "
        "begin in another order | it is changed by atomic_rmw 8 (1)");
    tg_report_free(report);
    options.order = "reversed";
    report = run_once(module, &all, &options);
    cr_assert_eq(tg_report_finding_count(report), 0);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

/* Each of two programs waits for the other's flag before it sets its own. */
Test(spin, nobody_can_end_it)
{
    check_lines(
        "grid 2\ninput z i32[4]\ninput y i32[1]\noutput f i32[4] alias=z\n" BEGIN
        "%13:i32[] = sub %12 %10\n" WAIT_FOR("%13", "1") SET("%10"),
        NAMED({"z", zeros}, {"y", zeros}), &(tg_run_options){0},
        LINES("error livelock while 1 (0) f[1..1]: while never ends: it reads f[1], "
              "which is "
              "0, and no program is left that could change it.  The program ends here | it is read "
              "by atomic_rmw 9 (0) | waits as well: while 1 (1)"));
}

/* Of many that wait three others are named, the first ones; a program that goes round without looking at memory waits for nobody. */
Test(spin, others_that_wait_are_named)
{
    check_lines(
        "grid 6\ninput z i32[4]\ninput y i32[1]\noutput f i32[4] alias=z\n" BEGIN
        "%13:i32[] = constant value=5; %14:bool[] = eq %10 %13; %15:i32[] = convert %14\n"
        "switch %15 { " WAIT_FOR("%11",
                                 "1") " } { while loc=2 { %20:bool[] = eq %11 %11; yield %20 } "
                                      "{ } }\n",
        NAMED({"z", zeros}, {"y", zeros}), &(tg_run_options){0},
        LINES(
            "error livelock while 1 (0) f[0..0]: while never ends: it reads f[0], "
            "which is "
            "0, and no program is left that could change it.  The program ends here | it is read "
            "by "
            "atomic_rmw 9 (0) | waits as well: while 1 (1) | waits as well: while 1 (2) | waits as "
            "well: while 1 (3)",
            "error endless-loop while 2 (5): while: two turns begin with the same values, so that "
            "it "
            "never ends.  The program ends here"));
}

/* All programs add 1 to a count, and wait until that is `all`. */
#define ARRIVE(first, all)                                                                         \
    "%" first "0:i32[] = atomic_rmw %3 %12 %11 [@] kind='add'; %" first "1:i32[] = constant "      \
    "value=" all "; while loc=1 { %" first                                                         \
    "2:i32[] = atomic_rmw %3 %11 %11 [@] kind='add'; %" first "3:bool[] = lt %" first "2 %" first  \
    "1; yield %" first "3 } { }\n"

/* Who knows of whom stays cheap to tell where many wait for each other, again and again. */
Test(spin, many_meet_several_times)
{
    tg_module *module =
        load_kernel("grid 48\ninput z i32[4]\ninput y i32[1]\noutput f i32[4] alias=z\noutput o "
                    "i32[48]\n" BEGIN ARRIVE("2", "48") ARRIVE("3", "96")
                        ARRIVE("4", "144") "store %4 %20 %10 [@]\n");
    for (int o = 0; o < ORDERS; o++) {
        arrays all = make_arrays(module, NAMED({"z", zeros}, {"y", zeros}));
        const tg_run_options options = {
            .size = sizeof options, .order = every_order[o], .checks = "all"};
        tg_report *report = run_once(module, &all, &options);
        cr_assert_eq(tg_report_stats(report).programs, 48);
        cr_assert_eq(tg_report_finding_count(report), count_findings(report, "assumes-resident"));
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* What others have done by then stays done, and the chains go on that do not wait. */
Test(spin, others_run_to_their_end)
{
    static const int32_t wanted[4] = {0, 1, 2, 3};
    tg_module *module = load_kernel(
        "grid 4\ninput z i32[4]\ninput y i32[1]\noutput f i32[4] alias=z\noutput o i32[4]\n" BEGIN
        "store %4 %10 %10 [@]\n%13:i32[] = constant value=2; %14:bool[] = lt %10 %13; %15:i32[] = "
        "convert %14\nswitch %15 { } { " WAIT_FOR("%10", "1") " }\n");
    for (int o = 0; o < ORDERS; o++) {
        arrays all = make_arrays(module, NAMED({"z", zeros}, {"y", zeros}, {"o", wanted}));
        const tg_run_options options = {.size = sizeof options, .order = every_order[o]};
        tg_report *report = run_once(module, &all, &options);
        compare_arrays(&all, every_order[o]);
        cr_assert_eq(count_findings(report, "livelock"), 1);
        cr_assert_eq(tg_report_finding(report, 0).count, 2);
        cr_assert_eq(tg_report_stats(report).programs, 2);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

#define ENDLESS                                                                                    \
    LINES("error endless-loop while 1 (0): while: two turns begin with the same values, so that "  \
          "it never ends.  The program ends here")

/* Turns may repeat in any rhythm; a count that nothing uses tells no turns apart; nor does scratch that holds the same again. */
Test(spin, loops_without_memory)
{
    static const char *const loops[] = {
        "%20:i32[] = while %11 loc=1 { (%30:i32[]) %31:bool[] = lt %30 %12; yield %31 } "
        "{ (%32:i32[]) yield %32 }\nstore %2 %20 %11 [@]\n",
        "%20:i32[] = while %11 loc=1 { (%30:i32[]) %35:i32[] = constant value=100; %31:bool[] = lt "
        "%30 %35; yield %31 } { (%32:i32[]) %33:i32[] = add %32 %12; %34:i32[] = constant "
        "value=37; %36:i32[] = rem %33 %34; yield %36 }\nstore %2 %20 %11 [@]\n",
        "%20:i32[] = while %11 loc=1 { (%30:i32[]) %31:bool[] = eq %11 %11; yield %31 } "
        "{ (%32:i32[]) %33:i32[] = add %32 %12; yield %33 }\n",
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        char text[1500];
        snprintf(text, sizeof text, "%s%s",
                 "grid 2\ninput x i32[1]\noutput o i32[1] alias=x\n" BEGIN, loops[i]);
        check_lines(text, NAMED({"x", zeros}), &(tg_run_options){0}, ENDLESS);
    }
}

/* Who counts its tries, and uses the count, has no two turns alike.  It gives way all the same, and of it nothing is told.  There are more of
 * them than are interleaved at a time. */
Test(spin, who_counts_tries)
{
    static const int32_t set[4] = {1}, none[20] = {0};
    char text[1500];
    const int programs = sampled(20, 2);
    snprintf(text, sizeof text,
             "grid %d\ninput z i32[4]\ninput y i32[20]\noutput f i32[4] alias=z\noutput o i32[20] "
             "alias=y\n%s%%13:i32[] = constant value=%d; %s",
             programs, BEGIN, programs - 1,
             "%14:bool[] = eq %10 %13; %15:i32[] = convert %14\n"
             "%16:i32[] = switch %15 { %20:i32[] = while %11 { (%30:i32[]) %31:i32[] = atomic_rmw "
             "%3 %11 %11 [@] kind='add'; %32:bool[] = eq %31 %11; yield %32 } { (%33:i32[]) "
             "%34:i32[] = add %33 %12; yield %34 }; %35:i32[] = mul %20 %11; yield %35 } { "
             "%40:i32[] = atomic_rmw %3 %12 %11 [@] kind='xchg'; yield %11 }\n"
             "store %4 %16 %10 [@]\n");
    tg_module *module = load_kernel(text);
    for (int o = 0; o < ORDERS; o++) {
        arrays all = make_arrays(module, NAMED({"z", zeros}, {"y", none}, {"f", set}, {"o", none}));
        const tg_run_options options = {
            .size = sizeof options, .order = every_order[o], .checks = "races"};
        tg_report *report = run_once(module, &all, &options);
        compare_arrays(&all, every_order[o]);
        cr_assert_eq(tg_report_finding_count(report), 0);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* A loop that is only long ends. */
Test(spin, long_loops)
{
    static const int32_t wanted[1] = {3000};
    expect("grid 2\ninput x i32[1]\noutput o i32[1] alias=x\n" BEGIN
           "%13:i32[] = constant value=3000\n"
           "%20:i32[] = while %11 { (%30:i32[]) %31:bool[] = lt %30 %13; yield %31 } "
           "{ (%32:i32[]) %34:i32[] = atomic_rmw %2 %11 %11 [@] kind='add'; %33:i32[] = add %32 "
           "%12; yield %33 }\n%40:i32[] = atomic_rmw %2 %20 %11 [@] kind='max'\n",
           NAMED({"x", zeros}, {"o", wanted}));
}

/* A turn may take a lock, fail with the next one, and give the first one back: memory holds the same again then. */
Test(spin, turns_that_write)
{
    static const int32_t held[4] = {0, 1};
    check_lines(
        "grid 1\ninput z i32[4]\ninput y i32[1]\noutput f i32[4] alias=z\n" BEGIN
        "while loc=1 { %30:i32[] = atomic_cas %3 %11 %12 %11 [@] loc=9; %31:i32[] = atomic_cas %3 "
        "%11 %12 %12 [@] loc=7; %32:i32[] = atomic_rmw %3 %11 %11 [@] kind='xchg' loc=6; "
        "%33:bool[] = ne %31 %11; yield %33 } { }\n",
        NAMED({"z", held}, {"y", zeros}), &(tg_run_options){0},
        LINES("error livelock while 1 (0) f[0..0]: while never ends: it reads f[0], "
              "which is "
              "0, and no program is left that could change it.  The program ends here | it is read "
              "by atomic_cas 9 (0)"));
}

/* Each program waits for the one before it, and none has begun where the order is reversed. */
Test(spin, many_wait)
{
    enum { CHAIN = 3000 };
    static int32_t none[CHAIN], ones[CHAIN];
    for (int i = 0; i < CHAIN; i++) ones[i] = 1;
    tg_module *module = load_kernel(
        "grid 3000\ninput z i32[3000]\ninput y i32[1]\noutput f i32[3000] alias=z\n" BEGIN
        "%13:i32[] = sub %10 %12; %14:i32[] = max %13 %11; %15:bool[] = gt %10 %11; %16:i32[] = "
        "convert %15\nswitch %16 { } { " WAIT_FOR("%14", "1") " }\n" SET("%10"));
    for (int o = 0; o < ORDERS; o++) {
        arrays all = make_arrays(module, NAMED({"z", none}, {"y", zeros}, {"f", ones}));
        const tg_run_options options = {.size = sizeof options, .order = every_order[o]};
        tg_report *report = run_once(module, &all, &options);
        compare_arrays(&all, every_order[o]);
        cr_assert_eq(tg_report_stats(report).programs, CHAIN);
        cr_assert_leq(tg_report_finding_count(report), 1);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* A semaphore that its program polls, and that nobody signals. */
Test(spin, polled_semaphores)
{
    check_lines(
        "grid 2\ninput z i32[4]\noutput o i32[4] alias=z\nscratch s sem[2]\n" BEGIN
        "%16:ref<sem[]> = view %3 %12 [@]\n"
        "while loc=1 { %30:i32[] = semaphore_read %16 loc=9; %31:bool[] = eq %30 %11; yield "
        "%31 } { }\n",
        NAMED({"z", zeros}), &(tg_run_options){0},
        LINES("error livelock while 1 (0) s[1..1]: while never ends: it reads s[1], "
              "which is "
              "0, and no program is left that could change it.  The program ends here | it is read "
              "by semaphore_read 9 (0) | waits as well: while 1 (1)"));
}

#define COUNTS                                                                                     \
    "grid 2\noutput o i32[2]\n" BEGIN "%13:i32[] = constant value=50; %14:i32[] = constant "       \
    "value=0\n"                                                                                    \
    "for %14 %13 %12 loc=1 { (%20:i32[]) store %1 %20 %10 [@]; yield }\n"

Test(spin, limits)
{
    check_lines(COUNTS, NAMED({NULL, NULL}), &(tg_run_options){.max_steps = 50}, NO_LINES);
    check_lines(COUNTS, NAMED({NULL, NULL}), &(tg_run_options){.max_steps = 49},
                LINES("error step-limit for 1 (0): for: the loops of the program have made 49 "
                      "turns, which is the limit.  The program ends here"));
}

Test(spin, refuses_limits)
{
    tg_module *module = load_kernel(COUNTS);
    static const struct {
        tg_run_options options;
        const char *says;
    } rejects[] = {
        {{.max_steps = -1}, "max_steps is -1; it is 0 for no limit, or more"},
        {{.max_steps = 1, .backend = "emulator"},
         "backend emulator counts no turns of loops: max_steps is the interpreter's"},
    };
    for (int i = 0; i < 2; i++) {
        arrays all = make_arrays(module, NAMED({NULL, NULL}));
        tg_run_options options = rejects[i].options;
        tg_errors *errors = tg_errors_new();
        tg_report *report;
        options.size = sizeof options;
        cr_assert_eq(tg_run(module, NULL, all.list, all.count, &options, &report, errors),
                     TG_ERR_USAGE);
        cr_assert_null(report);
        cr_assert_str_eq(tg_errors_get(errors, 0).message, rejects[i].says);
        tg_errors_free(errors);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* ---- random dependencies ---- */

enum { N = 24, EACH = 2 };

/* Program i waits for the programs d[2i] and d[2i+1] (itself: for none), and adds their values and 1. */
#define WAIT_AND_ADD(k, at, flag, turn, sum)                                                       \
    "%" at ":i32[] = load %1 %" #k " [@]; %" turn ":bool[] = ne %" at " %10\n"                     \
    "while { %" flag ":i32[] = atomic_rmw %5 %11 %" at " [@] kind='add'; %" flag                   \
    "1:bool[] = eq %" flag " %11; %" flag "2:bool[] = and %" flag "1 %" turn "; yield %" flag      \
    "2 } { }\n%" sum ":i32[] = load %6 %" at " [@]; %" sum "1:i32[] = select %" turn " %11 %" sum  \
    "\n"

static const char dependent[] =
    "grid 24\ninput d i32[48]\ninput z i32[24]\ninput y i32[24]\ninput u i32[1]\n"
    "output f i32[24] alias=z\noutput o i32[24] alias=y\n" BEGIN
    "%13:i32[] = add %10 %10; %14:i32[] = add %13 %12\n" WAIT_AND_ADD(13, "15", "60", "16", "70")
        WAIT_AND_ADD(14, "17", "61", "18", "71") "%80:i32[] = add %701 %711; %81:i32[] = add %80 "
                                                 "%12; store %6 %81 %10 [@]; %82:i32[] = "
                                                 "atomic_rmw %5 %12 %10 [@] kind='xchg'\n";

/* What must come of it: values, and which programs come to their end. */
static int model(const int32_t *d, int32_t *values, int32_t *ended)
{
    int count = 0;
    memset(values, 0, N * sizeof *values);
    memset(ended, 0, N * sizeof *ended);
    for (bool changes = true; changes;) {
        changes = false;
        for (int i = 0; i < N; i++) {
            int32_t sum = 1;
            bool is_ready = !ended[i];
            for (int k = 0; k < EACH; k++) {
                const int32_t j = d[EACH * i + k];
                is_ready = is_ready && (j == i || ended[j]);
                sum += j == i ? 0 : values[j];
            }
            if (!is_ready) continue;
            values[i] = sum;
            ended[i] = 1;
            changes = true;
            count++;
        }
    }
    return count;
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

/* Whoever waits for whom: all that can end do, with the same values in every order, and of the others it is said that they wait. */
Test(spin, random_dependencies)
{
    tg_module *module = load_kernel(dependent);
    uint64_t state = 1;
    int rings = 0;
    for (int round = 0; round < 60; round++) {
        static const int32_t none[N] = {0};
        int32_t d[EACH * N], values[N], ended[N];
        for (int i = 0; i < EACH * N; i++) {
            /* Mostly earlier or later ones, which make no rings; sometimes any. */
            const uint32_t self = (uint32_t)i / EACH;
            const bool is_any = draw(&state, 30) == 0, is_none = draw(&state, 3) == 0;
            d[i] = (int32_t)(is_any ? draw(&state, N) : is_none ? self : draw(&state, self + 1));
            if (round % 2)
                d[i] = is_any || is_none ? d[i] : N - 1 - (int32_t)draw(&state, N - self);
        }
        const int count = model(d, values, ended);
        rings += count < N;
        for (int o = 0; o < ORDERS; o++) {
            arrays all = make_arrays(module, NAMED({"d", d}, {"z", none}, {"y", none}, {"u", none},
                                                   {"f", ended}, {"o", values}));
            const tg_run_options options = {
                .size = sizeof options, .order = every_order[o], .checks = "races"};
            tg_report *report = run_once(module, &all, &options);
            compare_arrays(&all, every_order[o]);
            cr_assert_eq(tg_report_stats(report).programs, count, "%s, round %d", every_order[o],
                         round);
            cr_assert_eq(count_findings(report, "livelock") > 0, count < N);
            cr_assert_eq(count_findings(report, "race"), 0);
            tg_report_free(report);
            free_arrays(&all);
        }
    }
    cr_assert(rings > 5 && rings < 50, "%d rounds with rings", rings);
    tg_module_free(module);
}
