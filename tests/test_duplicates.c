/* Indices that name an element twice, with different values; the same in every order. */
#include "run_text.h"

static const int32_t numbers[8] = {2, 0, 2, 5, 2, 1, 7, 7};

/* `message` NULL: nothing is found. */
static void check(const char *text, const char *message, int64_t first, int64_t last)
{
    tg_module *module = load_kernel(text);
    for (int o = 0; o < ORDERS; o++) {
        arrays all = make_arrays(module, NAMED({"x", numbers}));
        const tg_run_options options = {
            .size = sizeof options, .order = every_order[o], .checks = "duplicates"};
        tg_report *report = run_once(module, &all, &options);
        if (tg_report_finding_count(report) != (message ? 1 : 0)) show_findings(report);
        cr_assert_eq(tg_report_finding_count(report), message ? 1 : 0, "%s", text);
        if (message) {
            const tg_finding f = tg_report_finding(report, 0);
            cr_assert_str_eq(f.kind, "scatter-duplicates");
            cr_assert_str_eq(f.message, message, "%s", f.message);
            cr_assert_eq(f.line, 5);
            cr_assert_eq(f.first, first, "%d", (int)f.first);
            cr_assert_eq(f.last, last, "%d", (int)f.last);
        }
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

#define STORE(values, how)                                                                         \
    "input x i32[8]\noutput o i32[8]\nbody\n%10:i32[8] = load %1 [0:8]; store %2 %10 [0:8]; "      \
    "%11:i32[8] = " values "; " how " loc=5\n"

Test(duplicates, stores)
{
    check(
        STORE("iota axis=0", "store %2 %11 %10 [@]"),
        "store gives o[2] several values, of which any one may stay: its indices name it more than "
        "once, and 3 times in all with another value",
        2, 7);
    /* The same value is as good as another, and so is another element. */
    check(STORE("constant value=4", "store %2 %11 %10 [@]"), NULL, 0, 0);
    check(STORE("iota axis=0", "store %2 %11 %11 [@]"), NULL, 0, 0);
}

Test(duplicates, masks)
{
    check(STORE("iota axis=0",
                "%12:bool[8] = constant value=[true,true,false,true,false,true,false,true]; store "
                "%2 %11 %10 %12 [@] mask=true"),
          NULL, 0, 0);
    check(
        STORE("iota axis=0",
              "%12:bool[8] = constant value=[true,true,false,true,false,true,true,true]; store "
              "%2 %11 %10 %12 [@] mask=true"),
        "store gives o[7] several values, of which any one may stay: its indices name it more than "
        "once, and 1 time in all with another value",
        7, 7);
}

/* What lies outside is dropped, and a finding of another kind only where no mask says so. */
Test(duplicates, atomics_and_loads)
{
    check(STORE("iota axis=0", "%12:i32[8] = load %1 %10 [@]; add_update %2 %11 %10 [@]"), NULL, 0,
          0);
}

Test(duplicates, nan)
{
    check(
        "input x i32[8]\noutput o f32[8]\nbody\n%10:i32[8] = load %1 [0:8]; %11:f32[8] = constant "
        "value='nan'; store %2 %11 [0:8]; store %2 %11 %10 [@] loc=5\n",
        NULL, 0, 0);
}

Test(duplicates, scatters)
{
#define SCATTER(combine, updates)                                                                  \
    "input x i32[8]\noutput o i32[8]\nbody\n%10:i32[8] = load %1 [0:8]; %11:i32[8] = " updates     \
    "; %12:i32[8,1] = reshape %10; %13:i32[8] = scatter %11 %12 %11 offset_dims=[] "               \
    "collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] mode='drop' "        \
    "combine='" combine "' loc=5; store %2 %13 [0:8]\n"
    check(
        SCATTER("set", "iota axis=0"),
        "scatter gives element [2] several values, of which any one may stay: its indices name it "
        "more than once, and 3 times in all with another value",
        -1, -1);
    check(SCATTER("set", "constant value=3"), NULL, 0, 0);
    check(SCATTER("add", "iota axis=0"), NULL, 0, 0);
}
