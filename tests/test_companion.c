/* Companion kernels: what a result is in exact arithmetic, and how far one that keeps a contract may be from it. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "companion_run.h"
#include "sampled.h"

#define COUNT 8

typedef struct result {
    double got, exact, bound; /* of the first element of output o */
    size_t findings;
} result;

/* Inputs x and y, f32[8], whose elements are all the same. */
static tg_arrays *inputs_of(float x, float y)
{
    tg_arrays *all = tg_arrays_new();
    const float value[2] = {x, y};
    static const char *const names[2] = {"x", "y"};
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(tg_arrays_add_zeros(all, names[i], "f32[8]", NULL), TG_OK);
        for (int j = 0; j < COUNT; j++)
            ((float *)tg_arrays_get(all, (size_t)i).tensor.data)[j] = value[i];
    }
    return all;
}

/* The kernel has inputs x and y and an output o, f32[8]; its body is `ops`, which store %9. */
static result judge(const char *contract, const char *ops, float x, float y)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "input x f32[8]\ninput y f32[8]\noutput o f32[8]\nbody\n"
        "%%10:f32[8] = load %%1 [0:8]; %%11:f32[8] = load %%2 [0:8]; %s; store %%3 %%9 [0:8]\n",
        ops);
    tg_arrays *inputs = inputs_of(x, y), *outputs = tg_arrays_new();
    const size_t findings = run_companion(contract, text, inputs, outputs);
    const result found = {(double)*(const float *)data_of(outputs, "o"),
                          *(const double *)data_of(outputs, "o exact"),
                          *(const double *)data_of(outputs, "o bound"), findings};
    tg_arrays_free(inputs);
    tg_arrays_free(outputs);
    return found;
}

static void check_about(double found, double wanted, const char *what)
{
    cr_assert(found >= wanted && found <= wanted * 1.02, "%s: %a, not %a", what, found, wanted);
}

/* ---- contracts ---- */

Test(companion, contracts_have_names)
{
    size_t count = 0;
    for (; tg_contract_name(count); count++) cr_assert_not_null(tg_contract_about(count));
    cr_assert_geq(count, 2);
    cr_assert_null(tg_contract_about(count));
}

Test(companion, of_what_there_is_not)
{
    tg_module *module = load_kernel("grid 1\nbody\n"), *companion = module;
    tg_errors *errors = tg_errors_new();
    cr_assert_eq(tg_module_companion(module, NULL, "mine", TG_BOUNDS_CERTAIN, &companion, errors),
                 TG_ERR_USAGE);
    cr_assert_null(companion);
    cr_assert_str_eq(tg_errors_get(errors, 0).message,
                     "there is no contract \"mine\"; there are: reference ieee cuda opencl-full "
                     "xla-cpu ptx-fast "
                     "triton tpu tosa-1.0");
    cr_assert_eq(tg_module_companion(module, "k2", "ieee", TG_BOUNDS_CERTAIN, &companion, errors),
                 TG_ERR_USAGE);
    cr_assert_str_eq(tg_errors_get(errors, 1).message, "the module has no kernel \"k2\"");
    tg_module_free(module);
    tg_errors_free(errors);
}

/* ---- single operations ---- */

/* Operands that are exact determine the result, and with it the error. */
Test(companion, of_a_rounded_operation)
{
    const result third = judge("ieee", "%9:f32[8] = div %10 %11", 1, 3);
    cr_assert_eq(third.exact, 1.0 / 3);
    cr_assert_eq(third.bound, fabs((double)(1.0F / 3) - 1.0 / 3));
    const result sum = judge("ieee", "%9:f32[8] = add %10 %11", 1, 0x1p-30F);
    cr_assert_eq(sum.exact, 1 + 0x1p-30);
    cr_assert_eq(sum.bound, 0x1p-30);
    const result once = judge("ieee", "%9:f32[8] = fma %10 %10 %11", 1 + 0x1p-20F, 3);
    cr_assert_eq(once.exact, 4 + 0x1p-19 + 0x1p-40);
    cr_assert_eq(once.bound, 0x1p-40);
    const result fused =
        judge("ieee", "%8:f32[8] = mul %10 %10; %9:f32[8] = fma %8 %11 %8", 1 + 0x1p-20F, 3);
    check_about(fused.bound, 4 * 0x1p-40 + 4 * 0x1p-24, "what is off, four times, plus 4");
    const result off =
        judge("ieee", "%8:f32[8] = mul %10 %10; %9:f32[8] = add %8 %11", 1 + 0x1p-20F, 3);
    check_about(off.bound, 0x1p-40 + 4 * 0x1p-24, "what is off, plus 3");
}

/* Results that are numbers of their dtype are not rounded. */
Test(companion, of_an_exact_operation)
{
    cr_assert_eq(judge("ieee", "%9:f32[8] = add %10 %11", 1.5F, 2).bound, 0);
    cr_assert_eq(judge("ieee", "%9:f32[8] = mul %10 %11", 3, -0.25F).bound, 0);
    cr_assert_eq(judge("ieee", "%9:f32[8] = max %10 %11", 0.1F, 0.2F).bound, 0);
    cr_assert_eq(judge("ieee", "%7:f64[8] = convert %10; %9:f32[8] = convert %7", 0.1F, 0).bound,
                 0);
    cr_assert_eq(judge("ieee", "%9:f32[8] = sub %10 %11", -INFINITY, 2).bound, 0);
}

/* 1 ULP where the contract promises so much, half of one for the reference. */
Test(companion, of_a_function)
{
    const result loose = judge("ieee", "%9:f32[8] = exp %10", 1, 0),
                 close = judge("reference", "%9:f32[8] = exp %10", 1, 0);
    cr_assert(fabs(loose.exact - exp(1.0)) < 1e-15);
    check_about(loose.bound, exp(1.0) * 0x1p-23, "ieee");
    check_about(close.bound, exp(1.0) * 0x1p-24, "reference");
    const result nothing = judge("ieee", "%9:f32[8] = exp %10", -INFINITY, 0);
    cr_assert(nothing.exact == 0 && nothing.bound < 0x1p-140, "%a", nothing.bound);
}

/* As the tables have it; division is rounded to nearest in one and not in the other. */
Test(companion, of_a_function_in_a_table)
{
    const double e = exp(1.0);
    check_about(judge("cuda", "%9:f32[8] = exp %10", 1, 0).bound, 5 * e * 0x1p-24, "cuda");
    check_about(judge("opencl-full", "%9:f32[8] = exp %10", 1, 0).bound, 6 * e * 0x1p-24, "opencl");
    const double third = fabs((double)(1.0F / 3) - 1.0 / 3);
    cr_assert_eq(judge("cuda", "%9:f32[8] = div %10 %11", 1, 3).bound, third);
    check_about(judge("opencl-full", "%9:f32[8] = div %10 %11", 1, 3).bound, 5 * 0x1p-24 / 3,
                "2.5 ULP");
    check_about(judge("cuda", "%9:f32[8] = logistic %10", 0, 0).bound, 16 * 0x1p-24, "no figure");
}

Test(companion, of_what_may_overflow)
{
    const float most = 0x1.fffffep127F;
    cr_assert(isinf(judge("ieee", "%9:f32[8] = mul %10 %11", most, 2).bound));
    cr_assert(isinf(judge("ieee", "%9:f32[8] = exp %10", 88.75F, 0).bound));
    const result masked = judge("ieee", "%9:f32[8] = sub %10 %11", -most, 3);
    cr_assert(isfinite(masked.bound), "%a", masked.bound);
}

/* 0 over a number that may be 0 is 0 or NaN. */
Test(companion, of_zero_over_what_may_be_zero)
{
    static const char ops[] =
        "%8:f32[8] = exp %10; %7:f32[8] = sub %8 %11; %6:f32[8] = sub %10 %10; "
        "%9:f32[8] = div %6 %7";
    cr_assert(isinf(judge("ieee", ops, 1, expf(1)).bound));
    cr_assert(judge("ieee", ops, 1, 2).bound < 0x1p-140);
}

/* ---- NaN, infinities and huge numbers next to what is off ---- */

#define MASK "%14:f32[8] = constant value=-170141183460469231731687303715884105728; "

/* A mask absorbs what is added to it and subtracted from it, so that exp of it is next to 0. */
Test(companion, of_what_a_mask_absorbs)
{
    static const char ops[] = MASK "%8:f32[8] = exp %10; %9:f32[8] = add %8 %14",
                      probability[] = MASK "%8:f32[8] = exp %10; %7:f32[8] = add %8 %14; "
                                           "%6:f32[8] = sub %7 %8; %9:f32[8] = exp %6";
    const result masked = judge("ieee", ops, 5, 0);
    cr_assert(masked.bound == 0 && masked.exact == -0x1p127 && masked.got == masked.exact);
    const result gone = judge("ieee", probability, 5, 0);
    cr_assert(gone.exact == 0 && gone.bound < 0x1p-140, "%a", gone.bound);
    cr_assert_gt(judge("ieee", ops, 0x1.4p+6F, 0).bound, 0, "80: e^80 is more than half a unit");
}

/* Whatever is combined with NaN is NaN, though it be off or have no bound. */
Test(companion, of_nan_next_to_what_is_off)
{
    static const char *const ops[] = {"add %8 %11", "sub %11 %8", "mul %8 %11", "div %11 %8",
                                      "max %8 %11", "min %11 %8", "rem %8 %11", "atan2 %11 %8"};
    char text[256];
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (int x = 1; x < 100; x += 88) { /* e^89 may overflow */
            snprintf(text, sizeof text, "%%8:f32[8] = exp %%10; %%9:f32[8] = %s", ops[i]);
            const result found = judge("ieee", text, (float)x, NAN);
            cr_assert(isnan(found.got) && isnan(found.exact) && found.bound == 0, "%s: %a", ops[i],
                      found.bound);
        }
    cr_assert(isinf(judge("ieee", "%8:f32[8] = exp %10; %9:f32[8] = mul %8 %11", 89, 0).bound));
}

#define JOINED "%8:f32[8] = exp %10; %7:f32[16] = concatenate %8 %11 axis=0; "
#define SPREAD "%9:f32[8] = broadcast_in_dim %6 dims=[]"

/* Of sums and maxima too; an infinity is sure where the other terms do not overflow. */
Test(companion, of_specials_among_what_is_off)
{
    static const char sum[] = JOINED "%6:f32[] = reduce_sum %7 axes=[0]; " SPREAD,
                      most[] = JOINED "%6:f32[] = reduce_max %7 axes=[0]; " SPREAD;
    cr_assert_eq(judge("ieee", sum, 1, NAN).bound, 0);
    cr_assert_eq(judge("ieee", sum, 89, NAN).bound, 0);
    cr_assert_eq(judge("ieee", most, 1, NAN).bound, 0);
    const result infinite = judge("ieee", sum, 1, -INFINITY);
    cr_assert(infinite.exact == -(double)INFINITY && infinite.bound == 0, "%a", infinite.bound);
    cr_assert(isinf(judge("ieee", sum, 88.5F, -INFINITY).bound), "the others may overflow");
    cr_assert(isinf(judge("ieee", sum, 89, -INFINITY).bound), "one may be infinite");
}

/* NaN that is not sure has an infinite bound, not NaN. */
Test(companion, of_nan_that_is_not_sure)
{
    static const char ops[] =
        JOINED "%6:f32[] = reduce_sum %7 axes=[0]; %5:f32[] = sub %6 %6; %4:f32[] = tanh %5; "
               "%9:f32[8] = broadcast_in_dim %4 dims=[]";
    const result unsure = judge("ieee", ops, 88.5F, -INFINITY);
    cr_assert(isnan(unsure.exact) && isinf(unsure.bound), "%a", unsure.bound);
}

/* ---- errors that are passed on ---- */

Test(companion, is_passed_on)
{
    const result one = judge("ieee", "%9:f32[8] = exp %10", 1, 0),
                 all = judge("ieee", "%8:f32[8] = exp %10; %9:f32[8] = mul %8 %11", 1, 1000);
    check_about(all.bound, 1000 * one.bound + 1000 * exp(1.0) * 0x1p-24, "1000 e");
    /* e - 2.718 loses digits, and the bound says so. */
    const result lost = judge("ieee", "%8:f32[8] = exp %10; %9:f32[8] = sub %8 %11", 1, 2.718F);
    cr_assert(lost.bound >= one.bound && lost.bound / lost.exact > 1e-4, "%a", lost.bound);
}

/* Of sums in any order n - 1 roundings, of a tree log2 n; of whole numbers none. */
Test(companion, of_sums)
{
    static const char ops[] = "%8:f32[] = reduce_sum %10 axes=[0]; %9:f32[8] = broadcast_in_dim %8 "
                              "dims=[]";
    const double sizes = 8 * (double)0.1F;
    check_about(judge("ieee", ops, 0.1F, 0).bound, 7 * 0x1p-24 * sizes, "any order");
    check_about(judge("reference", ops, 0.1F, 0).bound, 3 * 0x1p-24 * sizes, "tree");
    cr_assert_eq(judge("ieee", ops, 1000, 0).bound, 0);
    cr_assert_eq(judge("ieee", ops, 0.25F, 0).bound, 0);
    cr_assert_gt(judge("ieee", ops, 1 << 20, 0).bound, 0);
}

Test(companion, of_products_of_matrices)
{
    static const char ops[] =
        "%7:f32[1,8] = reshape %10; %8:f32[8,1] = reshape %11; %6:f32[1,1] = dot_general %7 %8 "
        "lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]; %5:f32[] = reshape %6; "
        "%9:f32[8] = broadcast_in_dim %5 dims=[]";
    const result real = judge("ieee", ops, 0.1F, 3);
    cr_assert_float_eq(real.exact, 8 * 3 * (double)0.1F, 1e-12);
    check_about(real.bound, 8 * 0x1p-24 * real.exact, "8 terms");
    cr_assert_eq(judge("ieee", ops, 5, -3).bound, 0);
}

/* ---- whole numbers, order, indices ---- */

/* The size of a negative whole number is not the number. */
Test(companion, of_products_with_whole_numbers)
{
    const result found =
        judge("ieee",
              "%12:i32[8] = convert %11; %13:f32[8] = convert %12; %14:f32[8] = sqrt %10; "
              "%9:f32[8] = mul %13 %14",
              2, -3);
    cr_assert_gt(found.bound, fabs(found.got - found.exact));
}

/* Findings are checks that fail: what is decided otherwise near a boundary. */
Test(companion, of_conversions_to_whole_numbers)
{
    static const char ops[] = "%8:f32[8] = exp %10; %7:i32[8] = convert %8; %9:f32[8] = convert %7";
    const result sure = judge("ieee", ops, 1, 0);
    cr_assert(sure.findings == 0 && sure.got == 2 && sure.bound == 0);
    cr_assert_eq(judge("ieee", ops, logf(3), 0).findings, 1);
}

Test(companion, of_the_greatest_element)
{
    static const char ops[] =
        "%8:f32[8] = exp %10; %7:f32[16] = concatenate %8 %11 axis=0; %6:i32[] = argmax %7 axis=0; "
        "%5:f32[] = convert %6; %9:f32[8] = broadcast_in_dim %5 dims=[]";
    const result exact = judge("ieee", ops, 1, 5), close = judge("ieee", ops, 1, expf(1));
    cr_assert(exact.findings == 0 && exact.got == 8);
    cr_assert_eq(close.findings, 1);
    cr_assert_eq(judge("ieee", ops, 1, 2).findings, 1); /* several that are off */
}

Test(companion, of_sorted_elements)
{
    static const char ops[] = "%8:f32[8] = exp %10; %9:f32[8] = sort %8 axis=0 keys=1",
                      pairs[] =
                          "%8:f32[8] = exp %10; %7:f32[8] %9:f32[8] = sort %8 %11 axis=0 keys=1";
    const result alone = judge("ieee", ops, 1, 0), together = judge("ieee", pairs, 1, 5);
    check_about(alone.bound, exp(1.0) * 0x1p-23, "the most that any is off");
    cr_assert_eq(alone.findings, 0);
    cr_assert(together.findings == 1 && together.got == 5 && together.bound == 0);
}

#define AT                                                                                         \
    "offset_dims=[] collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] "
#define FIRST "%8:f32[8] = exp %10; %7:i32[8,1] = constant value=0; "

Test(companion, of_gathered_elements)
{
    const result found = judge(
        "ieee", FIRST "%9:f32[8] = gather %8 %7 " AT "slice_sizes=[1] mode='fill' fill=2", 1, 0);
    check_about(found.bound, exp(1.0) * 0x1p-23, "an element");
    cr_assert_float_eq(found.exact, exp(1.0), 1e-15);
}

/* Eight updates of the first element: at most eight roundings. */
Test(companion, of_scattered_elements)
{
    static const char added[] =
        FIRST "%9:f32[8] = scatter %11 %7 %8 " AT "mode='drop' combine='add'",
                      set[] = FIRST "%9:f32[8] = scatter %11 %7 %8 " AT "mode='drop' combine='set'";
    const result sum = judge("ieee", added, 1, 3), last = judge("ieee", set, 1, 3);
    const double size = 8 * exp(1.0) + 3;
    check_about(sum.bound, 8 * exp(1.0) * 0x1p-23 + 8 * 0x1p-24 * size, "a sum of nine");
    cr_assert_float_eq(sum.exact, size, 1e-13);
    check_about(last.bound, exp(1.0) * 0x1p-23, "the last update");
}

/* Which of several cases is exact: as with any op that moves elements. */
Test(companion, of_one_of_several_cases)
{
    static const char ops[] = "%8:f32[8] = exp %10; %7:i32[8] = constant value=2; "
                              "%9:f32[8] = select %7 %10 %11 %8";
    check_about(judge("ieee", ops, 1, 0).bound, exp(1.0) * 0x1p-23, "the third");
}

Test(companion, of_bits)
{
    static const char ops[] =
        "%8:f32[8] = mul %10 %11; %7:i32[8] = bitcast %8; %9:f32[8] = bitcast %7";
    cr_assert_eq(judge("ieee", ops, 3, 5).findings, 0);
    cr_assert_eq(judge("ieee", ops, 0.1F, 0.1F).findings, 1);
}

Test(companion, of_powers)
{
    cr_assert_eq(
        judge("ieee", "%8:f32[8] = exp %10; %9:f32[8] = integer_pow %8 exponent=0", 1, 0).bound, 0);
    const result third = judge("ieee", "%9:f32[8] = integer_pow %10 exponent=-1", 3, 0);
    cr_assert(fabs(third.got - third.exact) <= third.bound && third.bound < 0x1p-22, "%a",
              third.bound);
    cr_assert(isinf(judge("ieee", "%9:f32[8] = integer_pow %10 exponent=-2", 0x1p-70F, 0).bound));
}

/* ---- comparisons ---- */

/* Where a comparison may come out otherwise, both cases count. */
Test(companion, of_a_choice_that_is_not_sure)
{
    static const char ops[] = "%8:f32[8] = exp %10; %7:bool[8] = lt %8 %11; "
                              "%9:f32[8] = select %7 %10 %11";
    const result sure = judge("ieee", ops, 1, 5), unsure = judge("ieee", ops, 1, expf(1));
    cr_assert_eq(sure.bound, 0);
    cr_assert_float_eq(unsure.bound, exp(1.0) - 1, 1e-6);
    cr_assert_eq(sure.findings + unsure.findings, 0);
}

/* Anything else that depends on it has no bound. */
Test(companion, of_a_branch_that_is_not_sure)
{
    static const char ops[] = "%8:f32[8] = exp %10; %7:f32[] = reduce_max %8 axes=[0]; %6:f32[] = "
                              "reduce_max %11 axes=[0]; "
                              "%5:bool[] = lt %7 %6; %4:i32[] = convert %5; "
                              "%9:f32[8] = switch %4 { yield %10 } { yield %11 }";
    cr_assert_eq(judge("ieee", ops, 1, 5).findings, 0);
    cr_assert_eq(judge("ieee", ops, 1, expf(1)).findings, 1);
}

#define CLOSE                                                                                      \
    "%8:f32[8] = exp %10; %7:f32[] = reduce_max %8 axes=[0]; %6:f32[] = reduce_max %11 axes=[0]; " \
    "%5:bool[] = lt %7 %6; "

/* A check in a region says nothing where the region does not run. */
Test(companion, of_what_only_a_region_settles)
{
    static const char ops[] =
        CLOSE "%14:bool[] = gt %6 %6; "
              "%15:f32[8] = switch %14 { yield %10 } { %16:i32[] = convert %5; "
              "%17:f32[8] = switch %16 { yield %10 } { yield %11 }; yield %17 }; "
              "%9:f32[8] = select %5 %15 %11";
    const result unsure = judge("ieee", ops, 1, expf(1));
    cr_assert_float_eq(unsure.bound, exp(1.0) - 1, 1e-6);
    cr_assert_eq(unsure.findings, 0);
    cr_assert_eq(judge("ieee", ops, 1, 5).bound, 0);
}

Test(companion, of_a_loop_that_may_end_otherwise)
{
    static const char ops[] =
        CLOSE "%9:f32[8] %13:f32[] = while %10 %7 { (%20:f32[8] %21:f32[]) %22:bool[] = lt %21 %6; "
              "yield %22 } { (%23:f32[8] %24:f32[]) yield %11 %6 }";
    cr_assert_eq(judge("ieee", ops, 1, 5).findings, 0);
    cr_assert_eq(judge("ieee", ops, 1, expf(1)).findings, 1);
}

/* ---- random expressions ---- */

enum { OPS = 14 };

static uint64_t drawn;

static unsigned draw(unsigned count)
{
    drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(drawn >> 33) % count;
}

/* Appends op number `n`, %n, of two earlier values of f32[8]; the first are %10 and %11. */
static size_t put_op(char *out, size_t size, int n)
{
    static const char *const two[] = {"add", "sub", "mul", "div", "max", "min"},
                             *const one[] = {
                                 "exp",  "log", "sqrt", "rsqrt",  "tanh", "logistic", "sin",
                                 "cos",  "neg", "abs",  "square", "exp2", "log1p",    "expm1",
                                 "cbrt", "erf", "atan", "sinh",   "cosh", "asinh",    "floor"};
    const int x = 10 + (int)draw((unsigned)n - 10), y = 10 + (int)draw((unsigned)n - 10);
    const unsigned kind = draw(11);
    if (kind == 10)
        return (size_t)snprintf(out, size, "%%%d:f32[8] = fma %%%d %%%d %%%d; ", n, x, y,
                                10 + (int)draw((unsigned)n - 10));
    if (kind < 4)
        return (size_t)snprintf(out, size, "%%%d:f32[8] = %s %%%d %%%d; ", n, two[draw(6)], x, y);
    if (kind < 7)
        return (size_t)snprintf(out, size, "%%%d:f32[8] = %s %%%d; ", n, one[draw(21)], x);
    if (kind == 7)
        return (size_t)snprintf(
            out, size, "%%%d:bool[8] = lt %%%d %%%d; %%%d:f32[8] = select %%%d %%%d %%%d; ",
            100 + n, x, y, n, 100 + n, y, x);
    if (kind == 8)
        return (size_t)snprintf(out, size,
                                "%%%d:bf16[8] = convert %%%d; %%%d:f32[8] = convert %%%d; ",
                                100 + n, x, n, 100 + n);
    return (size_t)snprintf(out, size,
                            "%%%d:f32[] = reduce_sum %%%d axes=[0]; %%%d:f32[8] = broadcast_in_dim "
                            "%%%d dims=[]; ",
                            100 + n, x, n, 100 + n);
}

static tg_module *random_expression(uint64_t seed)
{
    char text[4096];
    drawn = seed * 2 + 1;
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "input x f32[8]\ninput y f32[8]\noutput o f32[8]\nbody\n"
                                   "%%10:f32[8] = load %%1 [0:8]; %%11:f32[8] = load %%2 [0:8]; ");
    for (int n = 12; n < 12 + OPS; n++) used += put_op(text + used, sizeof text - used, n);
    snprintf(text + used, sizeof text - used, "store %%3 %%%d [0:8]\n", 11 + OPS);
    return load_kernel(text);
}

typedef struct counts {
    int64_t judged, unbounded, outside;
    double worst;
} counts;

static void count_output(const tg_arrays *outputs, counts *c)
{
    const float *const got = data_of(outputs, "o");
    const double *const exact = data_of(outputs, "o exact"), *const bound =
                                                                 data_of(outputs, "o bound");
    for (int i = 0; i < COUNT; i++) {
        const double v = (double)got[i], r = exact[i], b = bound[i];
        c->judged++;
        c->unbounded += !isfinite(b);
        if (!isfinite(b) || v == r || (isnan(v) && isnan(r))) continue;
        c->outside += !(fabs(v - r) <= b);
        if (fabs(v - r) / b > c->worst) c->worst = fabs(v - r) / b;
    }
}

static void judge_random(uint64_t seed, counts *c)
{
    tg_module *module = random_expression(seed), *companion;
    tg_arrays *inputs = inputs_of(0, 0), *outputs = tg_arrays_new();
    tg_errors *errors = tg_errors_new();
    const tg_status status =
        tg_module_companion(module, NULL, "reference", TG_BOUNDS_CERTAIN, &companion, errors);
    cr_assert_eq(status, TG_OK, "%s", status ? tg_errors_get(errors, 0).message : "");
    for (size_t p = 0; p < 2; p++)
        for (int i = 0; i < COUNT; i++)
            ((float *)tg_arrays_get(inputs, p).tensor.data)[i] =
                (float)draw(1 << 20) / (1 << 17) - 4;
    tg_report *report;
    const int64_t before = c->outside;
    cr_assert_eq(tg_arrays_run(companion, NULL, inputs, NULL, NULL, outputs, &report, NULL), TG_OK);
    count_output(outputs, c);
    cr_expect_eq(c->outside, before, "seed %d is outside", (int)seed);
    tg_report_free(report);
    tg_errors_free(errors);
    tg_arrays_free(inputs);
    tg_arrays_free(outputs);
    tg_module_free(companion);
    tg_module_free(module);
}

/* The reference keeps its own contract. */
Test(companion, bounds_hold_in_random_expressions)
{
    const int kernels = sampled(4000, 200);
    counts c = {0};
    for (int seed = 0; seed < kernels; seed++) judge_random((uint64_t)seed, &c);
    printf("%lld elements, %lld without a bound, the worst at %.3f of its bound\n",
           (long long)c.judged, (long long)c.unbounded, c.worst);
    cr_assert(c.unbounded < c.judged / 4 && c.worst > 0.5, "%lld %f", (long long)c.unbounded,
              c.worst);
}
