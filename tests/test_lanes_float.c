/* Float lanes: fp8 exhaustively in pairs, f16 and bf16 exhaustively alone, against arithmetic in
 * double rounded by searching the nearest value of the format; f32 and f64 against the C library.
 */
#include <criterion/criterion.h>
#include <float.h>

#include "lanes_oracle.h"
#include "sampled.h"

enum { ALL_CODES = 1 << 16 };

static double max_of(double a, double b)
{
    if (isnan(a) || isnan(b)) return ORACLE_NAN;
    if (a == b) return signbit(a) ? b : a;
    return a > b ? a : b;
}

static double expected_2(tg_opcode op, double a, double b)
{
    switch (op) {
    case TG_OP_add: return a + b;
    case TG_OP_sub: return a - b;
    case TG_OP_mul: return a * b;
    case TG_OP_div: return a / b;
    case TG_OP_rem: return fmod(a, b);
    case TG_OP_max: return max_of(a, b);
    default: return -max_of(-a, -b);
    }
}

static const tg_opcode arithmetic[] = {TG_OP_add, TG_OP_sub, TG_OP_mul, TG_OP_div,
                                       TG_OP_rem, TG_OP_max, TG_OP_min};
enum { ARITHMETIC = sizeof arithmetic / sizeof *arithmetic };

static bool expected_order(tg_opcode op, double a, double b)
{
    switch (op) {
    case TG_OP_eq: return a == b;
    case TG_OP_ne: return a != b;
    case TG_OP_lt: return a < b;
    case TG_OP_le: return a <= b;
    case TG_OP_gt: return a > b;
    default: return a >= b;
    }
}

static const tg_opcode orders[] = {TG_OP_eq, TG_OP_ne, TG_OP_lt, TG_OP_le, TG_OP_gt, TG_OP_ge};

/* The value of the format for an exact result. f8e8m0fnu, which has no zero, is rounded to f32
 * first: what underflows there is 0 and so NaN. */
static double narrowed(tg_dtype d, double exact)
{
    return nearest_value(d, d == TG_DT_f8e8m0fnu ? (double)(float)exact : exact);
}

/* Results of min and max are values already; a format without -0 has only one zero to give. */
static double rounded(tg_opcode op, tg_dtype d, double v)
{
    return op == TG_OP_max || op == TG_OP_min ? v : narrowed(d, v);
}

static void check_fp8_orders(const tg_elementwise *lanes, tg_dtype d, float a, const float *b)
{
    uint8_t r[256];
    const void *const src[2] = {&a, b};
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        lanes_run(tg_elementwise_op(lanes, orders[o], d, d), r, src, 1, 256, 0);
        for (uint32_t k = 0; k < 256; k++)
            cr_assert_eq(r[k], expected_order(orders[o], (double)a, (double)b[k]),
                         "%s %s %s(%a, %a)", tg_elementwise_isa(lanes), tg_ops[orders[o]].name,
                         tg_dtypes[d].name, (double)a, (double)b[k]);
    }
}

static void check_fp8_pairs(const tg_elementwise *lanes, tg_dtype d)
{
    float a[256], b[256], r[256];
    const void *const src[2] = {a, b};
    for (uint32_t k = 0; k < 256; k++) b[k] = (float)code_value(d, k);
    for (uint32_t first = 0; first < 256; first += (uint32_t)sampled(1, 5)) {
        a[0] = (float)code_value(d, first);
        check_fp8_orders(lanes, d, a[0], b);
        for (int o = 0; o < ARITHMETIC; o++) {
            lanes_run(tg_elementwise_op(lanes, arithmetic[o], d, d), r, src, 1, 256, 0);
            for (uint32_t k = 0; k < 256; k++) {
                const double exact = expected_2(arithmetic[o], (double)a[0], (double)b[k]);
                cr_assert(same_value((double)r[k], rounded(arithmetic[o], d, exact)),
                          "%s %s %s(%a, %a) = %a", tg_elementwise_isa(lanes),
                          tg_ops[arithmetic[o]].name, tg_dtypes[d].name, (double)a[0], (double)b[k],
                          (double)r[k]);
            }
        }
    }
}

Test(lanes_float, fp8_pairs)
{
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        for (int d = 0; lanes != NULL && d < TG_DT_COUNT; d++)
            if (is_narrow((tg_dtype)d) && tg_dtypes[d].bits == 8)
                check_fp8_pairs(lanes, (tg_dtype)d);
    }
}

/* Value after `code` towards b, by trying all neighbours in the list of values. */
static double next_by_search(tg_dtype d, double a, double b)
{
    double best = b;
    if (isnan(a) || isnan(b)) return ORACLE_NAN;
    for (uint32_t k = 0; a != b && k < 256; k++) {
        const double v = code_value(d, k);
        if (b > a ? v > a && v < best : v < a && v > best) best = v;
    }
    return best;
}

Test(lanes_float, fp8_nextafter_is_the_neighbour)
{
    float a[256], b[256], r[256];
    const tg_elementwise *const lanes = tg_elementwise_get(NULL);
    const void *const src[2] = {a, b};
    for (int d = 0; d < TG_DT_COUNT; d++) {
        if (!is_narrow((tg_dtype)d) || tg_dtypes[d].bits != 8) continue;
        for (uint32_t shift = 0; shift < 256; shift += (uint32_t)sampled(1, 9)) {
            for (uint32_t k = 0; k < 256; k++) {
                a[k] = (float)code_value((tg_dtype)d, k);
                b[k] = (float)code_value((tg_dtype)d, (k + shift) % 256);
            }
            lanes_run(tg_elementwise_op(lanes, TG_OP_nextafter, (tg_dtype)d, (tg_dtype)d), r, src,
                      0, 256, 0);
            for (uint32_t k = 0; k < 256; k++) {
                const double e = next_by_search((tg_dtype)d, (double)a[k], (double)b[k]);
                cr_assert((double)r[k] == e || (isnan(r[k]) && isnan(e)),
                          "%s nextafter(%a, %a) = %a", tg_dtypes[d].name, (double)a[k],
                          (double)b[k], (double)r[k]);
                if (tg_dtypes[d].special == TG_SPECIAL_FNUZ && r[k] == 0)
                    cr_assert(!signbit(r[k]), "a format without -0 got one");
            }
        }
    }
}

/* -- one operand: every code of every narrow format -- */

static double round_half_away(double a) { return copysign(floor(fabs(a) + 0.5), a); }

static double power(tg_dtype d, double base, int64_t exponent)
{
    double result = 1;
    for (int64_t bits = llabs(exponent); bits != 0; bits >>= 1) {
        if (bits & 1) result = narrowed(d, result * base);
        base = narrowed(d, base * base);
    }
    return exponent < 0 ? narrowed(d, 1 / result) : result;
}

typedef struct unary_case {
    tg_opcode op;
    int64_t imm;
} unary_case;

static double expected_1(unary_case c, tg_dtype d, double a)
{
    switch (c.op) {
    case TG_OP_neg: return narrowed(d, -a);
    case TG_OP_abs: return fabs(a);
    case TG_OP_sign: return a > 0 ? 1 : a < 0 ? -1 : a;
    case TG_OP_square: return narrowed(d, a * a);
    case TG_OP_sqrt: return narrowed(d, sqrt(a));
    case TG_OP_floor: return narrowed(d, floor(a));
    case TG_OP_ceil: return narrowed(d, ceil(a));
    case TG_OP_round: return narrowed(d, c.imm == 0 ? rint(a) : round_half_away(a));
    default: return power(d, a, c.imm);
    }
}

static const unary_case unary_cases[] = {
    {TG_OP_neg, 0},          {TG_OP_abs, 0},          {TG_OP_sign, 0},
    {TG_OP_square, 0},       {TG_OP_sqrt, 0},         {TG_OP_floor, 0},
    {TG_OP_ceil, 0},         {TG_OP_round, 0},        {TG_OP_round, 1},
    {TG_OP_integer_pow, 0},  {TG_OP_integer_pow, 1},  {TG_OP_integer_pow, 7},
    {TG_OP_integer_pow, -1}, {TG_OP_integer_pow, -3},
};

static void check_unary(const tg_elementwise *lanes, tg_dtype d)
{
    static float a[ALL_CODES], r[ALL_CODES];
    static uint8_t finite[ALL_CODES];
    const size_t n = (size_t)1 << tg_dtypes[d].bits;
    const void *const src[1] = {a};
    for (size_t k = 0; k < n; k++) a[k] = (float)code_value(d, (uint32_t)k);
    for (size_t c = 0; c < sizeof unary_cases / sizeof *unary_cases; c++) {
        cr_assert(lanes_run(tg_elementwise_op(lanes, unary_cases[c].op, d, d), r, src, 0, n,
                            unary_cases[c].imm));
        for (size_t k = 0; k < n; k++)
            cr_assert(same_value((double)r[k], expected_1(unary_cases[c], d, (double)a[k])),
                      "%s %s %d %s(%a) = %a", tg_elementwise_isa(lanes),
                      tg_ops[unary_cases[c].op].name, (int)unary_cases[c].imm, tg_dtypes[d].name,
                      (double)a[k], (double)r[k]);
    }
    lanes_run(tg_elementwise_op(lanes, TG_OP_is_finite, d, d), finite, src, 0, n, 0);
    for (size_t k = 0; k < n; k++) cr_assert_eq(finite[k], isfinite(a[k]) ? 1 : 0);
}

Test(lanes_float, every_code_of_narrow_formats)
{
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        for (int d = 0; lanes != NULL && d < TG_DT_COUNT; d++)
            if (is_narrow((tg_dtype)d)) check_unary(lanes, (tg_dtype)d);
    }
}

/* -- f32 and f64 -- */

enum { SAMPLES = 4096 };

static const double edges[] = {0,
                               0.25,
                               0.5,
                               0.75,
                               1,
                               1.5,
                               2,
                               2.5,
                               3.5,
                               8388607.5,
                               8388608,
                               4503599627370495.5,
                               4503599627370496,
                               0x1p-149,
                               0x1p-126,
                               0x1p-1074,
                               0x1p-1022,
                               0x1.fffffep+127,
                               DBL_MAX};
enum { EDGES = sizeof edges / sizeof *edges };

/* Edges with both signs, inf, NaN, then random bits of which half lie near 1. */
static void sample(double *out, uint64_t seed, bool single)
{
    size_t n = 0;
    for (int k = 0; k < EDGES; k++) {
        out[n++] = edges[k];
        out[n++] = -edges[k];
    }
    out[n++] = ORACLE_INF;
    out[n++] = -ORACLE_INF;
    out[n++] = ORACLE_NAN;
    for (; n < SAMPLES; n++) {
        uint64_t bits = random_bits(&seed);
        if (bits & 1)
            bits = (bits & 0x800fffffffffffffu) | (uint64_t)(1013 + (bits >> 52 & 31)) << 52;
        out[n] = f64_of_bits(bits);
        if (single && !(bits & 1)) out[n] = (double)f32_of_bits((uint32_t)(bits >> 20));
    }
    for (n = 0; single && n < SAMPLES; n++) out[n] = (double)(float)out[n];
}

/* In double an operation on floats is wide enough to be rounded again to float. */
static double f32_or_f64(tg_dtype d, double v) { return d == TG_DT_f32 ? (double)(float)v : v; }

static double read_float(tg_dtype d, const void *at, size_t i)
{
    return d == TG_DT_f32 ? (double)((const float *)at)[i] : ((const double *)at)[i];
}

static void write_floats(tg_dtype d, void *at, const double *v)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        if (d == TG_DT_f32)
            ((float *)at)[i] = (float)v[i];
        else
            ((double *)at)[i] = v[i];
    }
}

static double unary_in_c(unary_case c, double a)
{
    switch (c.op) {
    case TG_OP_neg: return -a;
    case TG_OP_abs: return fabs(a);
    case TG_OP_sign: return a > 0 ? 1 : a < 0 ? -1 : a;
    case TG_OP_square: return a * a;
    case TG_OP_sqrt: return sqrt(a);
    case TG_OP_floor: return floor(a);
    case TG_OP_ceil: return ceil(a);
    default: return c.imm == 0 ? rint(a) : round(a);
    }
}

static void check_wide(const tg_elementwise *lanes, tg_dtype d)
{
    static double a[SAMPLES], b[SAMPLES], mem_a[SAMPLES], mem_b[SAMPLES], r[SAMPLES];
    static uint8_t order[SAMPLES];
    const void *const src[2] = {mem_a, mem_b};
    sample(a, 1, d == TG_DT_f32);
    sample(b, 2, d == TG_DT_f32);
    for (size_t i = 0; i < 2 * EDGES + 3; i++) b[i + 700] = a[i], a[i + 700] = a[(i * 7 + 3) % 41];
    for (size_t i = 0; i < 41 * 41; i++) a[2000 + i] = a[i / 41], b[2000 + i] = a[i % 41];
    write_floats(d, mem_a, a);
    write_floats(d, mem_b, b);
    for (int o = 0; o < ARITHMETIC; o++) {
        lanes_run(tg_elementwise_op(lanes, arithmetic[o], d, d), r, src, 0, SAMPLES, 0);
        for (size_t i = 0; i < SAMPLES; i++)
            cr_assert(same_value(read_float(d, r, i),
                                 f32_or_f64(d, expected_2(arithmetic[o], a[i], b[i]))),
                      "%s %s %s(%a, %a) = %a", tg_elementwise_isa(lanes),
                      tg_ops[arithmetic[o]].name, tg_dtypes[d].name, a[i], b[i],
                      read_float(d, r, i));
    }
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        lanes_run(tg_elementwise_op(lanes, orders[o], d, d), order, src, 0, SAMPLES, 0);
        for (size_t i = 0; i < SAMPLES; i++)
            cr_assert_eq(order[i], expected_order(orders[o], a[i], b[i]), "%s(%a, %a)",
                         tg_ops[orders[o]].name, a[i], b[i]);
    }
    for (size_t c = 0; c < 9; c++) {
        lanes_run(tg_elementwise_op(lanes, unary_cases[c].op, d, d), r, src, 0, SAMPLES,
                  unary_cases[c].imm);
        for (size_t i = 0; i < SAMPLES; i++)
            cr_assert(
                same_value(read_float(d, r, i), f32_or_f64(d, unary_in_c(unary_cases[c], a[i]))),
                "%s %d %s(%a) = %a", tg_ops[unary_cases[c].op].name, (int)unary_cases[c].imm,
                tg_dtypes[d].name, a[i], read_float(d, r, i));
    }
    lanes_run(tg_elementwise_op(lanes, TG_OP_nextafter, d, d), r, src, 0, SAMPLES, 0);
    for (size_t i = 0; i < SAMPLES; i++) {
        const double e =
            d == TG_DT_f32 ? (double)nextafterf((float)a[i], (float)b[i]) : nextafter(a[i], b[i]);
        cr_assert(same_value(read_float(d, r, i), e), "nextafter(%a, %a)", a[i], b[i]);
    }
}

Test(lanes_float, f32_and_f64_as_in_c)
{
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        if (lanes == NULL) continue;
        check_wide(lanes, TG_DT_f32);
        check_wide(lanes, TG_DT_f64);
    }
}

Test(lanes_float, neg_and_abs_of_nan_touch_only_the_sign)
{
    const uint32_t nan[2] = {0x7fc0dead, 0xffc0dead};
    const void *const src[1] = {nan};
    uint32_t r[2];
    lanes_run(tg_elementwise_op(tg_elementwise_get(NULL), TG_OP_neg, TG_DT_f32, TG_DT_f32), r, src,
              0, 2, 0);
    cr_assert(r[0] == nan[1] && r[1] == nan[0]);
    lanes_run(tg_elementwise_op(tg_elementwise_get(NULL), TG_OP_abs, TG_DT_f32, TG_DT_f32), r, src,
              0, 2, 0);
    cr_assert(r[0] == nan[0] && r[1] == nan[0]);
}

Test(lanes_float, clamp_propagates_nan_from_each_operand)
{
    const float lo[4] = {-1, NAN, -1, -1}, x[4] = {5, 0, NAN, -7}, hi[4] = {1, 1, 1, NAN};
    const void *const src[3] = {lo, x, hi};
    float r[4];
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        if (lanes == NULL) continue;
        lanes_run(tg_elementwise_op(lanes, TG_OP_clamp, TG_DT_f32, TG_DT_f32), r, src, 0, 4, 0);
        cr_assert(r[0] == 1 && isnan(r[1]) && isnan(r[2]) && isnan(r[3]));
    }
}
