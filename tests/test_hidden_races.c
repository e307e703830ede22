/* Races that change no value: of 1,000 shuffles none shows them, one run in order sequential does. */
#include "run_text.h"

enum { SHUFFLES = 1000 };

typedef struct hidden {
    const char *text;
    const named *inputs;
    const char *kind;
    int32_t here, there; /* the lines of the two sides */
    int32_t left;        /* what is in the one element of "o" after every run */
} hidden;

static int32_t value_in(const tg_module *module, const named *inputs, const char *order)
{
    const tg_run_options options = {.size = sizeof options, .order = order, .checks = "none"};
    arrays all = make_arrays(module, inputs);
    tg_report *report = run_once(module, &all, &options);
    const int32_t value = *(int32_t *)array_data(&all, "o");
    cr_assert_eq(tg_report_finding_count(report), 0, "%s", order);
    tg_report_free(report);
    free_arrays(&all);
    return value;
}

static void expect_found_at_once(const tg_module *module, const hidden *h)
{
    const tg_run_options options = {
        .size = sizeof options, .order = "sequential", .checks = "races"};
    arrays all = make_arrays(module, h->inputs);
    tg_report *report = run_once(module, &all, &options);
    cr_assert_eq(count_findings(report, h->kind), tg_report_finding_count(report));
    const tg_finding f = tg_report_finding(report, 0);
    const tg_related other = tg_report_related(report, 0, 0);
    cr_assert_str_eq(f.kind, h->kind, "%s", f.message);
    cr_assert_eq(f.line, h->here, "line %d of %s", (int)f.line, f.message);
    cr_assert_eq(other.line, h->there, "line %d of %s", (int)other.line, f.message);
    cr_assert_eq(f.program[0], 0);
    cr_assert_eq(other.program[0], 1);
    cr_assert_eq(f.first, 0);
    cr_assert_eq(*(int32_t *)array_data(&all, "o"), h->left);
    tg_report_free(report);
    free_arrays(&all);
}

static void check(const hidden *h)
{
    tg_module *module = load_kernel(h->text);
    for (int seed = 1; seed <= SHUFFLES; seed++) {
        char order[32];
        snprintf(order, sizeof order, "shuffled:%d", seed);
        cr_assert_eq(value_in(module, h->inputs, order), h->left, "%s", order);
    }
    expect_found_at_once(module, h);
    tg_module_free(module);
}

static const int32_t nothing[1] = {0};

/* Programs that run one after the other all count; only such as run at the same time lose an update, and as the count stops at 3,
 * nearly all of them must be lost for the sum to be wrong. */
Test(hidden_races, a_count_that_stops)
{
    check(&(hidden){
        "grid 16\ninput x i32[1]\noutput o i32[1] alias=x\nbody\n"
        "%10:i32[1] = constant value=1; %11:i32[1] = constant value=3\n"
        "%12:i32[1] = load %2 [0:1] loc=1; %13:i32[1] = add %12 %10; %14:i32[1] = min %13 %11\n"
        "store %2 %14 [0:1] loc=2\n",
        NAMED({"x", nothing}), "race", 2, 1, 3});
}

/* Each chain writes a value of its own, and then the one that all of them end with: no schedule at all can show it. */
Test(hidden_races, overwritten_by_all)
{
    check(&(hidden){
        "grid 8 2a\noutput o i32[1]\nbody\n"
        "%10:i32[] = program_id axis=0; %11:i32[] = program_id axis=1\n"
        "%12:i32[] = constant value=0; %13:i32[] = constant value=7; %14:bool[] = eq %11 %12\n"
        "%15:i32[] = select %14 %13 %10; store %1 %15 %12 [@] loc=4\n",
        NAMED({NULL, NULL}), "race", 4, 4, 7});
}

/* What is read in between comes to nothing. */
Test(hidden_races, read_in_vain)
{
    check(&(hidden){
        "grid 5\ninput x i32[1]\noutput o i32[1] alias=x\noutput p i32[5] block s at i\nbody\n"
        "%10:i32[] = program_id axis=0; %11:i32[] = constant value=0; %12:bool[] = eq %10 %11\n"
        "%13:i32[] = load %2 %11 [@] loc=5; %14:i32[] = and %13 %11; store %3 %14 []\n"
        "%15:i32[1] = constant value=9; switch %12 { } { store %2 %15 [0:1] loc=6 }\n",
        NAMED({"x", nothing}), "race", 6, 5, 9});
}

Test(hidden_races, one_value)
{
    check(&(hidden){
        "grid 6\noutput o i32[1]\nbody\n%10:i32[1] = constant value=5; store %1 %10 [0:1] loc=3\n",
        NAMED({NULL, NULL}), "race-same-value", 3, 3, 5});
}
