/* Properties of contracts: what an implementation that keeps one may do is within the bounds, and what it may not is not. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "companion_run.h"

#define TERMS 64

/* ---- contracts ---- */

#define BASIC "\"basic\": {\"ulp\": 0.5, \"source\": null}, "
#define REST                                                                                       \
    "\"functions\": {\"ulp\": 1, \"narrow\": \"f32\", \"source\": null}, "                         \
    "\"subnormals\": {\"flush\": \"no\", \"source\": null}"
#define HEAD "{\"tilegrind-contract\": 1, \"name\": \"mine\", \"about\": \"a test\", " BASIC REST
#define ANY_SUMS ", \"sums\": {\"order\": \"any\", \"source\": null}"
#define STRICT ", \"nan\": {\"rule\": \"strict\", \"source\": null}"
#define MINE HEAD ANY_SUMS STRICT
#define ACCUMULATOR(of, format, rounding, more)                                                    \
    MINE ", \"accumulators\": [{\"of\": \"" of "\", \"format\": \"" format                         \
         "\", \"rounding\": \"" rounding "\"" more ", \"source\": null}]}"
#define OPERANDS(format, rounding)                                                                 \
    MINE ", \"operands\": [{\"dtype\": \"f32\", \"format\": \"" format                             \
         "\", \"rounding\": \"" rounding "\", \"source\": null}]}"
#define ACCURACY(row) MINE ", \"accuracies\": [" row "]}"

/* ---- kernels ---- */

typedef struct result {
    double got, exact, bound;
    size_t findings;
} result;

/* The kernel has inputs x and y, f32[64], and an output o, f32[1]; its body is `ops`, which make %9 of %10 and %11. */
static result judge(const char *contract, const char *ops, const float *x, const float *y)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "input x f32[64]\ninput y f32[64]\noutput o f32[1]\nbody\n"
        "%%10:f32[64] = load %%1 [0:64]; %%11:f32[64] = load %%2 [0:64]; %s; store %%3 %%9 [0:1]\n",
        ops);
    tg_arrays *inputs = tg_arrays_new(), *outputs = tg_arrays_new();
    cr_assert_eq(tg_arrays_add_zeros(inputs, "x", "f32[64]", NULL), TG_OK);
    cr_assert_eq(tg_arrays_add_zeros(inputs, "y", "f32[64]", NULL), TG_OK);
    memcpy(tg_arrays_get(inputs, 0).tensor.data, x, TERMS * sizeof *x);
    memcpy(tg_arrays_get(inputs, 1).tensor.data, y, TERMS * sizeof *y);
    const size_t findings = run_companion(contract, text, inputs, outputs);
    const result found = {(double)*(const float *)data_of(outputs, "o"),
                          *(const double *)data_of(outputs, "o exact"),
                          *(const double *)data_of(outputs, "o bound"), findings};
    tg_arrays_free(inputs);
    tg_arrays_free(outputs);
    return found;
}

#define ONE "%9:f32[1] = slice %8 start=[0] stride=[1]"
#define SUM "%8:f32[] = reduce_sum %10 axes=[0]; %9:f32[1] = broadcast_in_dim %8 dims=[]"
#define DOT                                                                                        \
    "%7:f32[1,64] = reshape %10; %8:f32[64,1] = reshape %11; %6:f32[1,1] = dot_general %7 %8 "     \
    "lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]; %9:f32[1] = reshape %6"
#define DOT_HIGHEST                                                                                \
    "%7:f32[1,64] = reshape %10; %8:f32[64,1] = reshape %11; %6:f32[1,1] = dot_general %7 %8 "     \
    "lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[] precision='highest'; %9:f32[1] "  \
    "= reshape %6"

/* ---- implementations ---- */

/* To so many bits of mantissa: to nearest, or toward zero. */
static double rounded_to(double x, int man_bits, bool truncates)
{
    int exponent;
    const double scaled = ldexp(frexp(x, &exponent), man_bits + 1);
    return ldexp(truncates ? trunc(scaled) : nearbyint(scaled), exponent - man_bits - 1);
}

/* A chain, each product and each partial sum rounded. */
static double chain(const float *x, const float *y, int man_bits, bool truncates)
{
    double sum = 0;
    for (int i = 0; i < TERMS; i++) {
        const double product = rounded_to((double)x[i] * (double)y[i], man_bits, truncates);
        sum = rounded_to(sum + product, man_bits, truncates);
    }
    return sum;
}

/* Blocks of terms, cut to the lowest bit of the greatest of them and of the sum so far. */
static double aligned(const float *x, const float *y, int man_bits, int block)
{
    double sum = 0;
    for (int i = 0; i < TERMS; i += block) {
        double greatest = fabs(sum), all = 0;
        for (int k = i; k < i + block; k++)
            greatest = fmax(greatest, fabs((double)x[k] * (double)y[k]));
        int exponent;
        frexp(greatest, &exponent);
        const double unit = ldexp(1, exponent - 1 - man_bits);
        for (int k = i; k < i + block; k++) all += trunc((double)x[k] * (double)y[k] / unit) * unit;
        sum = rounded_to(trunc(sum / unit) * unit + all, man_bits, true);
    }
    return sum;
}

static uint64_t drawn;

static float draw(void)
{
    drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(drawn >> 40) * 0x1p-24F + 0.5F;
}

static void fill(float *x, float *y, uint64_t seed)
{
    drawn = seed;
    for (int i = 0; i < TERMS; i++) x[i] = draw();
    for (int i = 0; i < TERMS; i++) y[i] = draw();
}

static void check_inside(const result *r, double v)
{
    cr_assert(fabs(v - r->exact) <= r->bound, "%a is %a from %a, bound %a", v, fabs(v - r->exact),
              r->exact, r->bound);
}

static void check_outside(const result *r, double v)
{
    cr_assert(fabs(v - r->exact) > r->bound, "%a is %a from %a, bound %a", v, fabs(v - r->exact),
              r->exact, r->bound);
}

static void check_about(double found, double wanted, const char *what)
{
    cr_assert(found >= wanted && found <= wanted * 1.03, "%s: %a, not %a", what, found, wanted);
}

/* ---- accumulators ---- */

static const float ones[TERMS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

typedef struct format {
    const char *contract;
    int man_bits;
    bool truncates;
} format;

/* Chains in the declared format are inside; those that lose 5 bits more, always the same way, are not. */
Test(contracts, of_accumulators)
{
    static const format all[] = {{ACCUMULATOR("dot", "f32", "rz", ""), 23, true},
                                 {ACCUMULATOR("dot", "f16", "rn", ""), 10, false},
                                 {ACCUMULATOR("dot", "bf16", "rn", ""), 7, false},
                                 {ACCUMULATOR("dot", "e8m13", "rz", ""), 13, true},
                                 {ACCUMULATOR("dot", "e8m13", "rn", ""), 13, false}};
    float x[TERMS], y[TERMS];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (uint64_t seed = 1; seed < 40; seed++) {
            fill(x, y, seed);
            const result r = judge(all[i].contract, DOT, x, y);
            check_inside(&r, chain(x, y, all[i].man_bits, all[i].truncates));
            check_inside(&r, r.got);
            check_outside(&r, chain(x, y, all[i].man_bits - 5, true));
        }
}

Test(contracts, of_terms_that_are_aligned)
{
    float x[TERMS], y[TERMS];
    for (uint64_t seed = 1; seed < 40; seed++) {
        fill(x, y, seed);
        const result r = judge(ACCUMULATOR("dot", "e8m13", "rz", ", \"aligned\": 32"), DOT, x, y);
        check_inside(&r, aligned(x, y, 13, 32));
        check_outside(&r, aligned(x, y, 8, 32));
    }
}

/* Each of the 64 roundings has 2^-24 with f32, 2^-23 where it truncates, and next to nothing with f64. */
Test(contracts, of_widths_of_accumulators)
{
    float x[TERMS], y[TERMS];
    fill(x, y, 7);
    const double size = judge("ieee", DOT, x, y).exact;
    check_about(judge("ieee", DOT, x, y).bound, 64 * 0x1p-24 * size, "f32");
    check_about(judge(ACCUMULATOR("dot", "f32", "rz", ""), DOT, x, y).bound, 64 * 0x1p-23 * size,
                "f32 rz");
    check_about(judge(ACCUMULATOR("sum", "own", "rz", ""), SUM, x, y).bound,
                63 * 0x1p-23 * judge("ieee", SUM, x, y).exact, "sums rz");
    const result wide = judge(ACCUMULATOR("dot", "f64", "rn", ""), DOT, x, y);
    check_inside(&wide, (double)(float)wide.exact);
    cr_assert(wide.bound < 1.01 * 0x1p-24 * size, "%a", wide.bound / size);
}

/* Whole numbers have exact sums as long as the format holds them; beyond, any bound is honest. */
Test(contracts, of_exact_sums_in_narrow_accumulators)
{
    static const char narrow[] = ACCUMULATOR("dot", "bf16", "rn", "");
    float twos[TERMS], eights[TERMS];
    for (int i = 0; i < TERMS; i++) twos[i] = 2, eights[i] = 8;
    cr_assert_eq(judge(narrow, DOT, ones, twos).bound, 0);
    cr_assert_gt(judge(narrow, DOT, ones, eights).bound, 0);
    cr_assert_eq(judge("ieee", DOT, ones, eights).bound, 0);
}

/* A chain that may lose more than half of the sum has no bound. */
Test(contracts, of_chains_that_say_nothing)
{
    float x[TERMS], y[TERMS], eights[TERMS];
    fill(x, y, 7);
    for (int i = 0; i < TERMS; i++) eights[i] = 8;
    cr_assert(isinf(judge(ACCUMULATOR("dot", "e8m6", "rz", ""), DOT, x, y).bound));
    cr_assert(isinf(judge(ACCUMULATOR("sum", "e8m6", "rz", ""), SUM, x, y).bound));
    cr_assert(isinf(judge(ACCUMULATOR("dot", "e4m10", "rn", ""), DOT, eights, ones).bound));
}

/* ---- operands ---- */

Test(contracts, of_operands_that_are_rounded)
{
    float x[TERMS], low[TERMS], lower[TERMS];
    for (uint64_t seed = 1; seed < 40; seed++) {
        fill(x, low, seed);
        for (int i = 0; i < TERMS; i++) {
            low[i] = (float)rounded_to((double)x[i], 10, true);
            lower[i] = (float)rounded_to((double)x[i], 7, true);
        }
        const result r = judge(OPERANDS("tf32", "rz"), DOT, x, ones);
        check_inside(&r, chain(low, ones, 23, false));
        check_outside(&r, chain(lower, ones, 23, false));
        const result kept = judge(OPERANDS("tf32", "rz"), DOT_HIGHEST, x, ones);
        check_inside(&kept, chain(x, ones, 23, false));
        check_outside(&kept, chain(low, ones, 23, false));
    }
    cr_assert_eq(judge(OPERANDS("bf16", "rn"), DOT, ones, ones).bound, 0);
}

/* ---- sums in blocks ---- */

Test(contracts, of_sums_in_blocks)
{
    static const char blocked[] =
        HEAD STRICT ", \"sums\": {\"order\": \"blocked:16\", \"source\": null}}",
                      whole[] =
                          HEAD STRICT ", \"sums\": {\"order\": \"blocked:64\", \"source\": null}}";
    float x[TERMS], y[TERMS];
    fill(x, y, 3);
    const result r = judge(blocked, SUM, x, ones);
    check_about(r.bound, (15 + 3) * 0x1p-24 * r.exact, "15 in a block, 3 of blocks");
    check_about(judge(whole, SUM, x, ones).bound, 63 * 0x1p-24 * r.exact, "one block");
}

/* ---- NaN ---- */

Test(contracts, of_nan)
{
    static const char skip[] = HEAD ANY_SUMS ", \"nan\": {\"rule\": \"skip\", \"source\": null}}",
                      reduce[] =
                          HEAD ANY_SUMS ", \"nan\": {\"rule\": \"reduce\", \"source\": null}}",
                      any[] = HEAD ANY_SUMS ", \"nan\": {\"rule\": \"any\", \"source\": null}}",
                      most[] = "%8:f32[64] = max %10 %11; " ONE,
                      sum[] = "%8:f32[64] = add %10 %11; " ONE,
                      less[] = "%7:bool[64] = lt %10 %11; %8:f32[64] = select %7 %10 %11; " ONE,
                      greatest[] = "%8:f32[] = reduce_max %10 axes=[0]; %9:f32[1] = "
                                   "broadcast_in_dim %8 dims=[]",
                      index[] = "%7:i32[] = argmax %10 axis=0; %8:f32[] = convert %7; %9:f32[1] = "
                                "broadcast_in_dim %8 dims=[]";
    float x[TERMS] = {(float)NAN};
    cr_assert(judge(MINE "}", most, x, ones).bound == 0 && isinf(judge(skip, most, x, ones).bound));
    cr_assert(judge(reduce, most, x, ones).bound == 0);
    cr_assert(isinf(judge(reduce, greatest, x, ones).bound) &&
              judge(reduce, greatest, ones, ones).bound == 0);
    cr_assert(isinf(judge(skip, greatest, x, ones).bound) &&
              judge(MINE "}", greatest, x, ones).bound == 0);
    cr_assert(judge(skip, most, ones, ones).bound == 0 && judge(any, most, ones, ones).bound == 0);
    cr_assert(judge(skip, sum, x, ones).bound == 0 && isinf(judge(any, sum, x, ones).bound));
    cr_assert(judge(skip, less, x, ones).bound == 0 && !isfinite(judge(any, less, x, ones).bound));
    cr_assert_eq(judge(any, less, ones, ones).bound, 0);
    cr_assert_eq(judge(MINE "}", index, x, ones).findings, 0);
    cr_assert_eq(judge(skip, index, x, ones).findings, 1);
}

/* ---- functions ---- */

#define EXP "%8:f32[64] = exp %10; " ONE
#define SIN "%8:f32[64] = sin %10; " ONE

Test(contracts, of_errors_that_grow_with_the_operand)
{
    static const char grows[] =
        ACCURACY("{\"op\": \"exp\", \"ulp\": 2, \"ulp_per_operand\": 1, \"source\": null}");
    float x[TERMS] = {0};
    for (int k = 0; k < 5; k++) {
        x[0] = (float)(k * k);
        check_about(judge(grows, EXP, x, ones).bound,
                    (2 + (double)x[0]) * 0x1p-23 * exp((double)x[0]), "2 + x");
    }
}

Test(contracts, of_errors_by_ranges)
{
    static const char ranges[] = ACCURACY(
        "{\"op\": \"sin\", \"to\": 3, \"absolute\": 1e-6, \"source\": null}, "
        "{\"op\": \"sin\", \"from\": 3, \"to\": 300, \"absolute\": 1e-4, \"source\": null}");
    static const char never[] = ACCURACY("{\"op\": \"exp\", \"bounded\": false, \"source\": null}");
    float x[TERMS] = {1};
    check_about(judge(ranges, SIN, x, ones).bound, 1e-6, "near");
    x[0] = 100;
    check_about(judge(ranges, SIN, x, ones).bound, 1e-4, "far");
    x[0] = 3;
    check_about(judge(ranges, SIN, x, ones).bound, 1e-4, "both");
    x[0] = 301;
    cr_assert(isinf(judge(ranges, SIN, x, ones).bound));
    cr_assert(isinf(judge(never, EXP, x, ones).bound));
}

/* As the sources have it. */
Test(contracts, of_tables)
{
    float x[TERMS] = {4};
    const double e = exp(4);
    check_about(judge("ptx-fast", EXP, x, ones).bound, (2.5 + 4 * 1.173) * 0x1p-23 * e, "__expf");
    check_about(judge("tosa-1.0", EXP, x, ones).bound, (3 + 2 * 4) * 0x1p-23 * e, "EXP");
    check_about(judge("tpu", EXP, x, ones).bound, 65 * 0x1p-23 * e, "65 ULP");
    check_about(judge("triton", "%8:f32[64] = div %11 %10; " ONE, x, ones).bound, 2.5 * 0x1p-23 / 4,
                "div.full");
    check_about(judge("ptx-fast", SIN, x, ones).bound, 0x1.6bp-21, "sin.approx beyond pi");
    cr_assert(isinf(judge("ptx-fast", "%8:f32[64] = pow %10 %11; " ONE, x, ones).bound));
}

/* ---- texts ---- */

static void check_refused(const char *contract, const char *message)
{
    tg_module *module = load_kernel("grid 1\nbody\n"), *companion;
    tg_errors *errors = tg_errors_new();
    cr_assert_neq(
        tg_module_companion(module, NULL, contract, TG_BOUNDS_CERTAIN, &companion, errors), TG_OK);
    const tg_error e = tg_errors_get(errors, 0);
    char text[512];
    snprintf(text, sizeof text, "%s: %s", e.where, e.message);
    cr_assert_str_eq(text, message);
    tg_module_free(module);
    tg_errors_free(errors);
}

Test(contracts, of_texts_that_are_none)
{
    check_refused("{", ": a key in quotes is missing");
    check_refused(MINE ", \"more\": 1}", "/more: unknown key \"more\"");
    check_refused(HEAD ANY_SUMS "}", ": the key \"nan\" is missing");
    check_refused(
        HEAD STRICT ", \"sums\": {\"order\": \"blocked:0\", \"source\": null}}",
        "/sums/order: \"blocked:0\" is none of: any, tree, blocked:N with N elements in a "
        "block");
    check_refused(ACCURACY("{\"op\": \"load\", \"ulp\": 1, \"source\": null}"),
                  "/accuracies/0/op: \"load\" is no operation on floats, element by element, that "
                  "rounds");
    check_refused(ACCURACY("{\"op\": \"exp\", \"ulp\": 0.1, \"source\": null}"),
                  "/accuracies/0: no result is nearer than 0.5 ULP: it needs \"ulp\" or "
                  "\"absolute\"");
    check_refused(ACCURACY("{\"op\": \"exp\", \"from\": 1, \"ulp\": 1, \"source\": null}"),
                  "/accuracies/0: ranges of an operation follow one another, the first from 0, and "
                  "are at most 8; this begins at 1, not 0");
    check_refused(ACCURACY("{\"op\": \"exp\", \"ulp\": 1}"),
                  "/accuracies/0: the key \"source\" is missing");
    check_refused(OPERANDS("own", "rn"),
                  "/operands/0/format: \"own\" is no format: f32, tf32, e8m13, of 4 to 11 bits of "
                  "exponent and 1 to 52 of mantissa");
    check_refused(
        HEAD STRICT ", \"sums\": {\"order\": \"blocked: 8\", \"source\": null}}",
        "/sums/order: \"blocked: 8\" is none of: any, tree, blocked:N with N elements in a "
        "block");
    check_refused(
        OPERANDS("e 8m13", "rn"),
        "/operands/0/format: \"e 8m13\" is no format: f32, tf32, e8m13, of 4 to 11 bits of "
        "exponent and 1 to 52 of mantissa");
    check_refused(OPERANDS("tf32", "up"), "/operands/0/rounding: \"up\" is none of: rn rz");
}
