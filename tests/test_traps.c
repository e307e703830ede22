/* The ops that make a NaN or an infinity. */
#include <math.h>

#include "check_text.h"

static void check(const char *text, const float *x, const char *trap, const char *const *wanted)
{
    const tg_run_options how = {.trap = trap};
    check_lines(text, NAMED({"x", x}), &how, wanted);
}

#define UNARY(ops)                                                                                 \
    "grid 2\ninput x f32[8] block b4 at i\noutput o f32[8] block b4 at i\nbody\n"                  \
    "%10:f32[4] = load %1 [0:4] loc=1; " ops "; store %2 %99 [0:4]\n"

Test(traps, lanes)
{
    const float x[8] = {1, 2, 3, 4, 5, 0, 7, -8};
    check(
        UNARY("%11:f32[4] = sqrt %10 loc=2; %99:f32[4] = add %11 %11 loc=3"), x, "nan",
        LINES(
            "error nan-made sqrt 2 (1): sqrt makes NaN, of operands that have none, at [3] of its "
            "result, f32[4]"));
    check(
        UNARY("%11:f32[4] = div %10 %10 loc=2; %99:f32[4] = exp %11 loc=3"), x, "nan",
        LINES("error nan-made div 2 (1): div makes NaN, of operands that have none, at [1] of its "
              "result, f32[4]"));
    check(
        UNARY("%11:f32[4] = constant value=0; %12:f32[4] = div %10 %11 loc=2; %99:f32[4] = sub %12 "
              "%12 loc=3"),
        x, "inf",
        LINES("error inf-made div 2 (0): div makes infinity, of operands that have none, at [0] of "
              "its result, f32[4]"));
    check(
        UNARY("%11:f32[4] = log %10 loc=2; %99:f32[4] = neg %11"), x, "nan,inf",
        LINES("error nan-made log 2 (1): log makes NaN, of operands that have none, at [3] of its "
              "result, f32[4]",
              "error inf-made log 2 (1): log makes minus infinity, of operands that have none, at "
              "[1] "
              "of its result, f32[4]"));
    check(UNARY("%99:f32[4] = add %10 %10"), x, "nan,inf", NO_LINES);
}

/* What was there already, and what is moved only, is made by nobody. */
Test(traps, not_made)
{
    const float x[8] = {1, NAN, INFINITY, 4, 5, NAN, 7, -8};
    check(UNARY("%11:f32[4] = exp %10; %99:f32[4] = mul %11 %10"), x, "nan,inf", NO_LINES);
    check(
        "grid 3\ninput x f32[8] block b3 at i\noutput o f32[8] block b3 at i\nbody\n"
        "%10:f32[3] = load %1 [0:3]; %11:f32[3] = constant value='inf'; %12:f32[3] = add %10 %11; "
        "store %2 %12 [0:3]\n",
        x, "nan", NO_LINES);
}

Test(traps, narrow_results)
{
    const float x[8] = {1, 2, 3, 70000, 5, 6, 7, 8};
    check(
        UNARY("%11:f16[4] = convert %10 loc=2; %99:f32[4] = convert %11"), x, "inf",
        LINES(
            "error inf-made convert 2 (0): convert makes infinity, of operands that have none, at "
            "[3] of its result, f16[4]"));
}

Test(traps, wholes)
{
    const float x[8] = {3e38F, 3e38F, 0, 0, 1, 1, 1, 1};
    check("input x f32[8]\noutput o f32[]\nbody\n%10:f32[8] = load %1 [0:8]; "
          "%11:f32[] = reduce_sum %10 axes=[0] loc=2; store %2 %11 []\n",
          x, "inf",
          LINES("error inf-made reduce_sum 2 (): reduce_sum makes infinity, of operands that have "
                "none, "
                "at [] of its result, f32[]"));
    check(
        "input x f32[8]\noutput o f32[8]\nbody\n%10:f32[8] = load %1 [0:8]; "
        "%11:f32[8] = cumsum %10 axis=0 reverse=false loc=2; store %2 %11 [0:8]\n",
        x, "inf",
        LINES(
            "error inf-made cumsum 2 (): cumsum makes infinity, of operands that have none, at [1] "
            "of its result, f32[8]"));
}

Test(traps, usage)
{
    tg_module *module = load_kernel(UNARY("%99:f32[4] = neg %10"));
    static const float x[8];
    arrays all = make_arrays(module, NAMED({"x", x}));
    static const char *const wrong[][2] = {
        {"", "trap \"\": \"\" is none of none, nan, inf"},
        {"nan,", "trap \"nan,\": \"\" is none of none, nan, inf"},
        {"nans", "trap \"nans\": \"nans\" is none of none, nan, inf"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const tg_run_options options = {.size = sizeof options, .trap = wrong[i][0]};
        tg_errors *errors = tg_errors_new();
        tg_report *report = NULL;
        cr_assert_eq(tg_run(module, NULL, all.list, all.count, &options, &report, errors),
                     TG_ERR_USAGE);
        cr_assert_str_eq(tg_errors_get(errors, 0).message, wrong[i][1]);
        tg_errors_free(errors);
    }
    const tg_run_options options = {.size = sizeof options, .target = "gpu"};
    tg_errors *errors = tg_errors_new();
    tg_report *report = NULL;
    cr_assert_eq(tg_run(module, NULL, all.list, all.count, &options, &report, errors),
                 TG_ERR_USAGE);
    cr_assert_str_eq(tg_errors_get(errors, 0).message, "target \"gpu\" is neither any nor tpu");
    tg_errors_free(errors);
    free_arrays(&all);
    tg_module_free(module);
}
