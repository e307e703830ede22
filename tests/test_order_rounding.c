/* Sums of floats by atomics, whose bits depend on the order of the programs by rounding alone: a note, and only where that is
 * proven; all else that an order changes is an error. */
#include "check_text.h"

/* Programs that each add an element of x to o[0] in the way of `how`, which makes nothing but %12, the element. */
#define ADDING(dtype, outputs, how)                                                                \
    "grid 4\ninput x " dtype "[4]\ninput y " dtype "[2]\noutput o " dtype "[2] alias=y\n" outputs  \
    "body\n%10:i32[] = program_id axis=0; %11:i32[] = constant value=0\n"                          \
    "%12:" dtype "[] = load %1 %10 [@]; " how

static const float big_and_small[4] = {1e8F, 1, -1e8F, 1}, zeros[2] = {0};

/* "LEVEL KIND" of each finding, in order. */
static void expect_kinds(const char *text, const named *inputs, const char *const *wanted)
{
    const tg_run_options options = {.size = sizeof options, .checks = "none"};
    tg_module *module = load_kernel(text);
    arrays all = make_arrays(module, inputs);
    tg_report *report;
    cr_assert_eq(tg_check(module, NULL, all.list, all.count, &options, NULL, &report, NULL), TG_OK);
    size_t count = 0;
    for (; wanted[count] && count < tg_report_finding_count(report); count++) {
        const tg_finding f = tg_report_finding(report, count);
        char found[80];
        snprintf(found, sizeof found, "%s %s", f.level, f.kind);
        cr_assert_str_eq(found, wanted[count], "%s: %s instead of %s", text, f.message,
                         wanted[count]);
    }
    if (wanted[count] || tg_report_finding_count(report) != count) show_findings(report);
    cr_assert(!wanted[count] && tg_report_finding_count(report) == count, "%s", text);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

#define SUMS NAMED({"x", big_and_small}, {"y", zeros})
#define ROUNDING LINES("note order-rounding")
#define DEPENDENCE LINES("error order-dependence")

Test(order_rounding, sums_by_atomics)
{
    expect_kinds(ADDING("f32", "", "add_update %3 %12 %11 [@]\n"), SUMS, ROUNDING);
    expect_kinds(ADDING("f32", "", "%13:f32[] = atomic_rmw %3 %12 %11 [@] kind='add'\n"), SUMS,
                 ROUNDING);
}

Test(order_rounding, narrow_floats)
{
    static const uint16_t halves[4] = {0x6800, 0x3c00, 0xe800, 0x3c00}, none[2] = {0};
    expect_kinds(ADDING("f16", "", "add_update %3 %12 %11 [@]\n"),
                 NAMED({"x", halves}, {"y", none}), ROUNDING);
}

Test(order_rounding, what_it_says)
{
    static const tg_check_options few = {.size = sizeof few, .shuffles = -1, .interleavings = -1};
    const tg_run_options options = {.size = sizeof options, .checks = "none"};
    tg_module *module = load_kernel(ADDING("f32", "", "add_update %3 %12 %11 [@] loc=4\n"));
    arrays all = make_arrays(module, SUMS);
    tg_report *report;
    char line[2000];
    cr_assert_eq(tg_check(module, NULL, all.list, all.count, &options, &few, &report, NULL), TG_OK);
    cr_assert_eq(tg_report_finding_count(report), 1);
    finding_line(report, 0, line, sizeof line);
    cr_assert_str_eq(
        line,
        "note order-rounding add_update 4 (3) o[0..0]: o[0] is 1 [3f800000] in order sequential, "
        "but 0 [00000000] in order replay:reversed@2.1: by rounding alone, as programs only add to "
        "it "
        "by atomics; (0) and (1) do so the other way round | in the other order last written by "
        "add_update 4 (0) | in the other order first  9 (1) | then  9 (0)");
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

/* A value that the sum has had on its way. */
Test(order_rounding, sums_that_are_read)
{
    expect_kinds(ADDING("f32", "output p f32[4] block s at i\n",
                        "%13:f32[] = atomic_rmw %3 %12 %11 [@] kind='add'; store %4 %13 []\n"),
                 SUMS, DEPENDENCE);
    expect_kinds(
        ADDING("f32", "output p f32[4] block s at i\n",
               "add_update %3 %12 %11 [@]; %13:f32[] = load %3 %11 [@]; store %4 %13 []\n"),
        SUMS, DEPENDENCE);
}

/* Other atomics on the same memory, of which one decides, and stores. */
Test(order_rounding, not_only_sums)
{
    expect_kinds(ADDING("f32", "", "%13:f32[] = atomic_rmw %3 %12 %11 [@] kind='xchg'\n"), SUMS,
                 DEPENDENCE);
    expect_kinds(ADDING("f32", "",
                        "add_update %3 %12 %11 [@]; %13:f32[] = atomic_rmw %3 %12 %11 [@] "
                        "kind='max'\n"),
                 SUMS, DEPENDENCE);
    expect_kinds(ADDING("f32", "",
                        "%13:bool[] = eq %10 %11; switch %13 { add_update %3 %12 %11 [@] } { store "
                        "%3 %12 %11 [@] }\n"),
                 SUMS, DEPENDENCE);
}

/* What is added depends on the order: by an atomic elsewhere, by a race elsewhere. */
Test(order_rounding, addends_that_depend)
{
    static const int32_t none[1] = {0};
    expect_kinds("grid 4\ninput x f32[4]\ninput y f32[1]\ninput z i32[1]\noutput o f32[1] alias=y\n"
                 "output n i32[1] alias=z\nbody\n%10:i32[1] = constant value=1; %11:i32[] = "
                 "constant value=0; %12:i32[1] = atomic_rmw %5 %10 [0:1] kind='add'\n"
                 "%13:i32[] = reshape %12; %14:f32[] = load %1 %13 [@]; %15:i32[] = program_id "
                 "axis=0; %16:f32[] = convert %15\n%17:f32[] = mul %14 %16; add_update %4 %17 %11 "
                 "[@]\n",
                 NAMED({"x", big_and_small}, {"y", zeros}, {"z", none}), DEPENDENCE);
    expect_kinds("grid 4\ninput x f32[4]\ninput y f32[1]\ninput z i32[1]\noutput o f32[1] alias=y\n"
                 "output n i32[1] alias=z\nbody\n%10:i32[] = program_id axis=0; %11:i32[] = "
                 "constant value=0; %12:i32[] = load %5 %11 [@]; store %5 %10 %11 [@]\n"
                 "%14:f32[] = load %1 %12 [@]; add_update %4 %14 %11 [@]\n",
                 NAMED({"x", big_and_small}, {"y", zeros}, {"z", none}), DEPENDENCE);
}

/* Beyond the range there is no way back: that is more than rounding. */
Test(order_rounding, overflow_on_the_way)
{
    static const float huge[4] = {3e38F, -3e38F, 3e38F, 1};
    expect_kinds(ADDING("f32", "", "add_update %3 %12 %11 [@]\n"), NAMED({"x", huge}, {"y", zeros}),
                 DEPENDENCE);
}

/* Rounding is told, and what else there is as well. */
Test(order_rounding, beside_a_dependence)
{
    expect_kinds(
        ADDING("f32", "output p i32[1]\n", "add_update %3 %12 %11 [@]; store %4 %10 %11 [@]\n"),
        SUMS, DEPENDENCE);
    expect_kinds(ADDING("f32", "output p i32[1]\n",
                        "add_update %3 %12 %11 [@]; %13:i32[] = atomic_rmw %4 %10 %11 [@] "
                        "kind='xchg'\n"),
                 SUMS, DEPENDENCE);
}

/* Sums of integers, and of floats that are exact. */
Test(order_rounding, exact_sums)
{
    static const int32_t ints[4] = {1, 2, 3, INT32_MAX}, none[2] = {0};
    static const float small[4] = {1, 2, 3, 4};
    expect_kinds(ADDING("i32", "", "add_update %3 %12 %11 [@]\n"), NAMED({"x", ints}, {"y", none}),
                 NO_LINES);
    expect_kinds(ADDING("f32", "", "add_update %3 %12 %11 [@]\n"),
                 NAMED({"x", small}, {"y", zeros}), NO_LINES);
}
