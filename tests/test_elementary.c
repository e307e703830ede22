/* The elementary functions: special values, hard cases, the same bits from every instruction
 * set. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/float_bits.h"
#include "interp/elementwise/elementary.h"

/* The sets that this machine can run, the widest last; NULL behind them. */
static const tg_elementary *set_at(unsigned index)
{
    const tg_elementary *sets[4] = {&tg_elementary__baseline, NULL, NULL, NULL};
#if defined __x86_64__
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx2) sets[1] = &tg_elementary__avx2;
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        sets[2] = &tg_elementary__avx512;
#endif
    return sets[index];
}

/* NaN is written as such; every other expectation is exact, zeros with their signs. */
#define INF HUGE_VAL
#define NOT_A_NUMBER f64_of_bits(UINT64_C(0x7ff8000000000000))

typedef struct special {
    tg_opcode op;
    double x, result;
} special;

/* Not in C11's math.h. */
#define PI 0x1.921fb54442d18p+1

#define ODD(op, x, r)                                                                              \
    {TG_OP_##op, x, r}, { TG_OP_##op, -(x), -(r) }
#define EVEN(op, x, r)                                                                             \
    {TG_OP_##op, x, r}, { TG_OP_##op, -(x), r }
#define ONLY(op, x, r)                                                                             \
    {                                                                                              \
        TG_OP_##op, x, r                                                                           \
    }
#define UNDEFINED(op, x)                                                                           \
    {                                                                                              \
        TG_OP_##op, x, 0.0 * INF                                                                   \
    }

Test(elementary, special_values)
{
    const special cases[] = {
        EVEN(exp, 0.0, 1.0),
        ONLY(exp, INF, INF),
        ONLY(exp, -INF, 0.0),
        ONLY(exp, 1e4, INF),
        ONLY(exp, -1e4, 0.0),
        EVEN(exp2, 0.0, 1.0),
        ONLY(exp2, INF, INF),
        ONLY(exp2, -INF, 0.0),
        ONLY(exp2, 10.0, 1024.0),
        ONLY(exp2, -149.0, 0x1p-149),
        ONLY(exp2, 127.0, 0x1p127),
        ONLY(exp2, 0.5, 0x1.6a09e667f3bcdp+0),
        ODD(expm1, 0.0, 0.0),
        ONLY(expm1, INF, INF),
        ONLY(expm1, -INF, -1.0),
        ONLY(expm1, 1e4, INF),
        ONLY(expm1, -1e4, -1.0),
        ODD(expm1, 0x1p-149, 0x1p-149),
        EVEN(log, 0.0, -INF),
        ONLY(log, 1.0, 0.0),
        ONLY(log, INF, INF),
        UNDEFINED(log, -1.0),
        UNDEFINED(log, -INF),
        UNDEFINED(log, -0x1p-149),
        EVEN(log2, 0.0, -INF),
        ONLY(log2, 1.0, 0.0),
        ONLY(log2, 8.0, 3.0),
        ONLY(log2, 0x1p-149, -149.0),
        ONLY(log2, 0x1p127, 127.0),
        ONLY(log2, INF, INF),
        UNDEFINED(log2, -1.0),
        UNDEFINED(log2, -INF),
        ODD(log1p, 0.0, 0.0),
        ONLY(log1p, -1.0, -INF),
        ONLY(log1p, INF, INF),
        UNDEFINED(log1p, -2.0),
        UNDEFINED(log1p, -INF),
        ODD(log1p, 0x1p-149, 0x1p-149),
        ODD(sin, 0.0, 0.0),
        UNDEFINED(sin, INF),
        UNDEFINED(sin, -INF),
        ODD(sin, 0x1p-149, 0x1p-149),
        EVEN(cos, 0.0, 1.0),
        UNDEFINED(cos, INF),
        UNDEFINED(cos, -INF),
        EVEN(cos, 0x1p-149, 1.0),
        ODD(tan, 0.0, 0.0),
        UNDEFINED(tan, INF),
        UNDEFINED(tan, -INF),
        ODD(tan, 0x1p-149, 0x1p-149),
        ODD(asin, 0.0, 0.0),
        ODD(asin, 1.0, PI / 2),
        UNDEFINED(asin, 1.5),
        UNDEFINED(asin, -INF),
        ONLY(acos, 1.0, 0.0),
        ONLY(acos, -1.0, PI),
        EVEN(acos, 0.0, PI / 2),
        UNDEFINED(acos, 1.5),
        UNDEFINED(acos, -INF),
        ODD(atan, 0.0, 0.0),
        ODD(atan, INF, PI / 2),
        ODD(atan, 1.0, PI / 4),
        ODD(atan, 0x1p-149, 0x1p-149),
        ODD(sinh, 0.0, 0.0),
        ODD(sinh, INF, INF),
        ODD(sinh, 1e4, INF),
        EVEN(cosh, 0.0, 1.0),
        EVEN(cosh, INF, INF),
        EVEN(cosh, 1e4, INF),
        ODD(tanh, 0.0, 0.0),
        ODD(tanh, INF, 1.0),
        ODD(tanh, 1e4, 1.0),
        ODD(tanh, 0x1p-149, 0x1p-149),
        ODD(asinh, 0.0, 0.0),
        ODD(asinh, INF, INF),
        ODD(asinh, 0x1p-149, 0x1p-149),
        ONLY(acosh, 1.0, 0.0),
        ONLY(acosh, INF, INF),
        UNDEFINED(acosh, 0.5),
        UNDEFINED(acosh, -INF),
        ODD(atanh, 0.0, 0.0),
        ODD(atanh, 1.0, INF),
        UNDEFINED(atanh, 1.5),
        UNDEFINED(atanh, -INF),
        EVEN(logistic, 0.0, 0.5),
        ONLY(logistic, INF, 1.0),
        ONLY(logistic, -INF, 0.0),
        ONLY(logistic, 1e4, 1.0),
        ONLY(logistic, -1e4, 0.0),
        ODD(erf, 0.0, 0.0),
        ODD(erf, INF, 1.0),
        ODD(erf, 1e4, 1.0),
        ODD(erf_inv, 0.0, 0.0),
        ODD(erf_inv, 1.0, INF),
        UNDEFINED(erf_inv, 1.5),
        UNDEFINED(erf_inv, -INF),
        ODD(cbrt, 0.0, 0.0),
        ODD(cbrt, INF, INF),
        ODD(cbrt, 27.0, 3.0),
        ODD(cbrt, 0x1p-129, 0x1p-43),
        ODD(rsqrt, 0.0, INF),
        ONLY(rsqrt, INF, 0.0),
        ONLY(rsqrt, 4.0, 0.5),
        ONLY(rsqrt, 0x1p-148, 0x1p74),
        UNDEFINED(rsqrt, -1.0),
        UNDEFINED(rsqrt, -INF),
    };
    const tg_elementary *set;
    for (unsigned k = 0; (set = set_at(k)) != NULL; k++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const special *c = &cases[i];
            const bool undefined = c->result != c->result;
            const double want = undefined ? NOT_A_NUMBER : c->result;
            const float narrow_want = undefined ? f32_of_bits(0x7fc00000) : (float)c->result,
                        x = (float)c->x;
            const void *source[1] = {&x}, *wide_source[1] = {&c->x};
            float narrow;
            double wide;
            set->f32[c->op](&narrow, source, 0, 1, 0);
            cr_expect_eq(bits_of_f32(narrow), bits_of_f32(narrow_want),
                         "f32 %s(%a): %a, not %a, set %u", tg_ops[c->op].name, c->x, (double)narrow,
                         (double)narrow_want, k);
            set->f64[c->op](&wide, wide_source, 0, 1, 0);
            cr_expect_eq(bits_of_f64(wide), bits_of_f64(want), "f64 %s(%a): %a, not %a, set %u",
                         tg_ops[c->op].name, c->x, wide, want, k);
        }
    }
}

Test(elementary, nan_gives_the_one_nan)
{
    const uint32_t narrow[] = {0x7f800001, 0x7fc00000, 0xff812345, 0xffffffff};
    const uint64_t wide[] = {UINT64_C(0x7ff0000000000001), UINT64_C(0xfff8000000000000),
                             UINT64_MAX};
    const tg_elementary *set;
    for (unsigned k = 0; (set = set_at(k)) != NULL; k++) {
        for (int op = 0; op < TG_OP_COUNT; op++) {
            if (set->f32[op] == NULL) continue;
            for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
                uint32_t got = 0;
                const void *source[2] = {&narrow[i], &narrow[i]};
                set->f32[op](&got, source, 0, 1, 0);
                cr_expect_eq(got, 0x7fc00000, "f32 %s", tg_ops[op].name);
                set->f32_odd[op](&got, source, 0, 1, 0);
                cr_expect_eq(got, 0x7fc00000, "f32_odd %s", tg_ops[op].name);
            }
            for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
                uint64_t got = 0;
                const void *source[2] = {&wide[i], &wide[i]};
                set->f64[op](&got, source, 0, 1, 0);
                cr_expect_eq(got, UINT64_C(0x7ff8000000000000), "f64 %s", tg_ops[op].name);
            }
        }
    }
}

typedef struct special_pair {
    tg_opcode op;
    double a, b, result;
} special_pair;

#define PAIR(op, a, b, r)                                                                          \
    {                                                                                              \
        TG_OP_##op, a, b, r                                                                        \
    }
#define BAD_PAIR(op, a, b)                                                                         \
    {                                                                                              \
        TG_OP_##op, a, b, 0.0 * INF                                                                \
    }

/* C99 Annex F.9.1.4 and F.9.4.4. */
static const special_pair pairs[] = {
    PAIR(pow, 0.0, -3.0, INF),
    PAIR(pow, -0.0, -3.0, -INF),
    PAIR(pow, 0.0, -2.0, INF),
    PAIR(pow, -0.0, -2.5, INF),
    PAIR(pow, 0.0, -INF, INF),
    PAIR(pow, -0.0, 3.0, -0.0),
    PAIR(pow, 0.0, 3.0, 0.0),
    PAIR(pow, -0.0, 2.0, 0.0),
    PAIR(pow, -0.0, 0.5, 0.0),
    PAIR(pow, -1.0, INF, 1.0),
    PAIR(pow, -1.0, -INF, 1.0),
    PAIR(pow, 1.0, INF, 1.0),
    PAIR(pow, 1.0, 0.0 * INF, 1.0),
    PAIR(pow, 0.0 * INF, 0.0, 1.0),
    PAIR(pow, -5.0, -0.0, 1.0),
    PAIR(pow, INF, -0.0, 1.0),
    BAD_PAIR(pow, -2.0, 0.5),
    BAD_PAIR(pow, -2.0, -1.5),
    BAD_PAIR(pow, 0.0 * INF, 1.0),
    BAD_PAIR(pow, 2.0, 0.0 * INF),
    PAIR(pow, 0.5, -INF, INF),
    PAIR(pow, -0.5, -INF, INF),
    PAIR(pow, 2.0, -INF, 0.0),
    PAIR(pow, -2.0, -INF, 0.0),
    PAIR(pow, 0.5, INF, 0.0),
    PAIR(pow, 2.0, INF, INF),
    PAIR(pow, -INF, -3.0, -0.0),
    PAIR(pow, -INF, -2.0, 0.0),
    PAIR(pow, -INF, -0.5, 0.0),
    PAIR(pow, -INF, 3.0, -INF),
    PAIR(pow, -INF, 2.0, INF),
    PAIR(pow, -INF, 0.5, INF),
    PAIR(pow, INF, -1.0, 0.0),
    PAIR(pow, INF, 0.5, INF),
    PAIR(pow, -2.0, 3.0, -8.0),
    PAIR(pow, -2.0, -2.0, 0.25),
    PAIR(pow, 3.0, 5.0, 243.0),
    PAIR(pow, 9.0, 0.5, 3.0),
    PAIR(pow, 2.0, -149.0, 0x1p-149),
    PAIR(pow, -1.5, 0x1p60, INF),
    PAIR(pow, -1.5, -0x1p60, 0.0),
    PAIR(pow, 2.0, 1e30, INF),
    PAIR(pow, 4097.0, 2.0, 16785409.0),
    PAIR(atan2, 0.0, -0.0, PI),
    PAIR(atan2, -0.0, -0.0, -PI),
    PAIR(atan2, 0.0, 0.0, 0.0),
    PAIR(atan2, -0.0, 0.0, -0.0),
    PAIR(atan2, 0.0, -1.0, PI),
    PAIR(atan2, -0.0, -1.0, -PI),
    PAIR(atan2, 0.0, 1.0, 0.0),
    PAIR(atan2, -0.0, 1.0, -0.0),
    PAIR(atan2, -1.0, 0.0, -PI / 2),
    PAIR(atan2, 1.0, -0.0, PI / 2),
    PAIR(atan2, 1.0, -INF, PI),
    PAIR(atan2, -1.0, -INF, -PI),
    PAIR(atan2, 1.0, INF, 0.0),
    PAIR(atan2, -1.0, INF, -0.0),
    PAIR(atan2, INF, 1.0, PI / 2),
    PAIR(atan2, -INF, -1.0, -PI / 2),
    PAIR(atan2, INF, -INF, 0x1.2d97c7f3321d2p+1),
    PAIR(atan2, -INF, -INF, -0x1.2d97c7f3321d2p+1),
    PAIR(atan2, INF, INF, PI / 4),
    PAIR(atan2, -INF, INF, -PI / 4),
    PAIR(atan2, 1.0, 1.0, PI / 4),
    BAD_PAIR(atan2, 0.0 * INF, 1.0),
    BAD_PAIR(atan2, 1.0, 0.0 * INF),
    PAIR(atan2, 0x1p-149, 0x1p100, 0x1p-249),
};

Test(elementary, special_values_of_two_operands)
{
    const tg_elementary *set;
    for (unsigned k = 0; (set = set_at(k)) != NULL; k++) {
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            const special_pair *c = &pairs[i];
            const bool undefined = c->result != c->result;
            const double want = undefined ? NOT_A_NUMBER : c->result;
            const float narrow_want = undefined ? f32_of_bits(0x7fc00000) : (float)c->result;
            const float a = (float)c->a, b = (float)c->b;
            const void *source[2] = {&a, &b}, *wide_source[2] = {&c->a, &c->b};
            float narrow;
            double wide;
            set->f32[c->op](&narrow, source, 0, 1, 0);
            cr_expect_eq(bits_of_f32(narrow), bits_of_f32(narrow_want),
                         "f32 %s(%a, %a): %a, not %a, set %u", tg_ops[c->op].name, c->a, c->b,
                         (double)narrow, (double)narrow_want, k);
            set->f64[c->op](&wide, wide_source, 0, 1, 0);
            cr_expect_eq(bits_of_f64(wide), bits_of_f64(want), "f64 %s(%a, %a): %a, not %a, set %u",
                         tg_ops[c->op].name, c->a, c->b, wide, want, k);
        }
    }
}

/* Integral exponents give what the same exponents give as floats, and exact ties go to the even
 * one. */
Test(elementary, pow_of_integer_exponents)
{
    const float bases[] = {-3.0f, -0.0f, 0.5f, 1.0f, 1.5f, 4097.0f, 8191.0f, HUGE_VALF};
    const int32_t exponents[] = {-7, -2, -1, 0, 1, 2, 3, 15, 127, INT32_MAX, INT32_MIN};
    const tg_elementary *set;
    for (unsigned k = 0; (set = set_at(k)) != NULL; k++) {
        for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
            for (size_t j = 0; j < sizeof exponents / sizeof *exponents; j++) {
                const double base = (double)bases[i], exponent = (double)exponents[j];
                const void *as_float[2] = {&base, &exponent}, *as_int[2] = {&base, &exponents[j]};
                const void *narrow[2] = {&bases[i], &exponents[j]};
                double x, y;
                float z;
                set->f64[TG_OP_pow](&x, as_float, 0, 1, 0);
                set->f64_pow_int(&y, as_int, 0, 1, 0);
                set->f32_pow_int(&z, narrow, 0, 1, 0);
                cr_expect_eq(bits_of_f64(x), bits_of_f64(y), "%a^%d", base, exponents[j]);
                cr_expect_eq(bits_of_f32(z), bits_of_f32((float)x), "f32 %a^%d", base,
                             exponents[j]);
            }
        }
    }
}

typedef struct hard_case {
    tg_opcode op;
    uint32_t x, result;
} hard_case;

static const hard_case hard_cases[] = {
#define HARD(op, x, result) {TG_OP_##op, x, result},
#include "tests/elementary_hard.def"
};

Test(elementary, hard_cases)
{
    const tg_elementary *set;
    for (unsigned k = 0; (set = set_at(k)) != NULL; k++) {
        for (size_t i = 0; i < sizeof hard_cases / sizeof *hard_cases; i++) {
            const hard_case *c = &hard_cases[i];
            const float x = f32_of_bits(c->x);
            const void *source[1] = {&x};
            float got;
            set->f32[c->op](&got, source, 0, 1, 0);
            cr_expect_eq(bits_of_f32(got), c->result, "%s(%a): 0x%08x, not 0x%08x, set %u",
                         tg_ops[c->op].name, (double)x, bits_of_f32(got), c->result, k);
        }
    }
}

enum { SPREAD = 1 << 16, STRIP = 1 << 12 };

/* Operands that cover every exponent and sign; the k-th of SPREAD. */
static float spread_f32(uint32_t k) { return f32_of_bits(k << 16 | (k * 40503u & 0xffff)); }

static double spread_f64(uint32_t k)
{
    /* half of them all over f64, half where the functions are not constant */
    const uint64_t tail = k * UINT64_C(0x9e3779b97f4a7c15) >> 12;
    const uint64_t exponent = (k & 1) != 0 ? k >> 5 : 1023 - 40 + (k >> 5) % 60;
    return f64_of_bits((uint64_t)(k >> 1 & 1) << 63 | exponent << 52 | tail);
}

typedef enum kind { F32, F32_ODD, F64, KIND_COUNT } kind;

static tg_elementwise_fn *function_of(const tg_elementary *set, kind which, tg_opcode op)
{
    return which == F32 ? set->f32[op] : which == F32_ODD ? set->f32_odd[op] : set->f64[op];
}

static void fill_spread(void *a, void *b, kind which, uint32_t begin)
{
    for (uint32_t i = 0; i < STRIP; i++) {
        const uint32_t k = begin + i, other = k * 48271u & (SPREAD - 1);
        if (which == F64) {
            ((double *)a)[i] = spread_f64(k);
            ((double *)b)[i] = spread_f64(other);
        } else {
            const uint32_t kept = which == F32 ? 0xffffffff : 0xffff0000;
            ((float *)a)[i] = f32_of_bits(bits_of_f32(spread_f32(k)) & kept);
            ((float *)b)[i] = f32_of_bits(bits_of_f32(spread_f32(other)) & kept);
        }
    }
}

Test(elementary, every_set_gives_the_same_bits)
{
    static double a[STRIP], b[STRIP], want[STRIP], got[STRIP];
    const void *source[2] = {a, b};
    const tg_elementary *set;
    for (int op = 0; op < TG_OP_COUNT; op++) {
        for (kind which = 0; which < KIND_COUNT; which++) {
            if (function_of(set_at(0), which, (tg_opcode)op) == NULL) continue;
            const size_t size = which == F64 ? sizeof(double) : sizeof(float);
            for (uint32_t begin = 0; begin < SPREAD; begin += STRIP) {
                fill_spread(a, b, which, begin);
                function_of(set_at(0), which, (tg_opcode)op)(want, source, 0, STRIP, 0);
                for (unsigned k = 1; (set = set_at(k)) != NULL; k++) {
                    function_of(set, which, (tg_opcode)op)(got, source, 0, STRIP, 0);
                    cr_assert_eq(memcmp(got, want, size * STRIP), 0, "%s, kind %d, set %u, from %u",
                                 tg_ops[op].name, (int)which, k, begin);
                }
            }
        }
    }
}

/* Odd counts, in place, and splats; guards around the result stay. */
Test(elementary, counts_splats_and_in_place)
{
    const tg_elementary *set;
    float a[41], b[41], expected[41], r[43];
    for (unsigned k = 0; (set = set_at(k)) != NULL; k++) {
        for (int op = 0; op < TG_OP_COUNT; op++) {
            tg_elementwise_fn *const f = set->f32[op];
            if (f == NULL) continue;
            for (size_t count = 0; count <= 41; count += 1 + count / 5) {
                for (unsigned splat = 0; splat < 4; splat++) {
                    for (size_t i = 0; i < 41; i++) {
                        a[i] = 0.3f + (float)i * (i == 40 ? 1e7f : 0.01f);
                        b[i] = 0.7f - (float)i * 0.05f;
                    }
                    for (size_t i = 0; i < count; i++) {
                        const void *one[2] = {&a[(splat & 1) != 0 ? 0 : i],
                                              &b[(splat & 2) != 0 ? 0 : i]};
                        f(&expected[i], one, 0, 1, 0);
                    }
                    for (size_t i = 0; i < 43; i++) r[i] = 77.0f;
                    const void *source[2] = {a, b};
                    f(r + 1, source, splat, count, 0);
                    cr_assert_eq(memcmp(r + 1, expected, count * sizeof *r), 0,
                                 "%s, %zu lanes, splat %u", tg_ops[op].name, count, splat);
                    cr_assert(bits_of_f32(r[0]) == bits_of_f32(77.0f) &&
                              bits_of_f32(r[count + 1]) == bits_of_f32(77.0f));
                    if ((splat & 1) != 0) continue;
                    f(a, source, splat, count, 0);
                    cr_assert_eq(memcmp(a, expected, count * sizeof *a), 0, "%s in place",
                                 tg_ops[op].name);
                }
            }
        }
    }
}

/* Correct rounding keeps monotone functions monotone: neighbouring f32 around several points. */
Test(elementary, monotone)
{
    const tg_opcode rising[] = {TG_OP_exp,  TG_OP_exp2, TG_OP_expm1,   TG_OP_log1p,
                                TG_OP_atan, TG_OP_sinh, TG_OP_tanh,    TG_OP_asinh,
                                TG_OP_cbrt, TG_OP_erf,  TG_OP_logistic};
    const float from[] = {1e-6f, 0.3465f, 0.41421f, 0.69314f, 0.99999f, 1.9999f, 2.4999f, 5.9999f};
    enum { STEPS = 512 };
    float x[STEPS], y[STEPS];
    const void *source[1] = {x};
    for (size_t f = 0; f < sizeof rising / sizeof *rising; f++) {
        for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
            for (uint32_t i = 0; i < STEPS; i++) x[i] = f32_of_bits(bits_of_f32(from[k]) + i);
            set_at(0)->f32[rising[f]](y, source, 0, STEPS, 0);
            for (size_t i = 1; i < STEPS; i++)
                cr_assert(y[i] >= y[i - 1], "%s falls at %a", tg_ops[rising[f]].name, (double)x[i]);
        }
    }
}

/* f16 of an f32 rounded to odd, as f32. */
static float to_f16(float x)
{
    int e;
    if (!(fabsf(x) > 0.0f && fabsf(x) < HUGE_VALF)) return x;
    (void)frexpf(x, &e);
    const int quantum = (e - 1 < -14 ? -14 : e - 1) - 10;
    const float r = (float)ldexp(rint(ldexp((double)x, -quantum)), quantum);
    return fabsf(r) > 65504.0f ? copysignf(HUGE_VALF, r) : r;
}

static float of_f16(uint32_t code)
{
    const uint32_t exponent = code >> 10 & 31, fraction = code & 0x3ff;
    const float size = exponent == 0    ? (float)fraction * 0x1p-24f
                       : exponent == 31 ? (fraction == 0 ? HUGE_VALF : f32_of_bits(0x7fc00000))
                                        : f32_of_bits((exponent + 112) << 23 | fraction << 13);
    return (code & 0x8000) != 0 ? -size : size;
}

typedef struct digest_case {
    tg_opcode op;
    uint64_t digest;
} digest_case;

/* FNV-1a of the results on all f16, as tests/verify_elementary.c computes them with MPFR. */
static const digest_case digests[] = {
    {TG_OP_exp, UINT64_C(0x9991e06de4a7e325)},     {TG_OP_exp2, UINT64_C(0x9f233e0264f94325)},
    {TG_OP_log, UINT64_C(0x7aeffa16773fe325)},     {TG_OP_rsqrt, UINT64_C(0xddf988323886a325)},
    {TG_OP_tanh, UINT64_C(0x4987d333720c2325)},    {TG_OP_logistic, UINT64_C(0x05455c9c6270e325)},
    {TG_OP_erf, UINT64_C(0xde1453b6843d2325)},     {TG_OP_log1p, UINT64_C(0x3dcf1b6ca1458325)},
    {TG_OP_expm1, UINT64_C(0xc726108840646325)},   {TG_OP_sin, UINT64_C(0x5a877fa1d1eca325)},
    {TG_OP_cos, UINT64_C(0xe2f26aec3b3a2325)},     {TG_OP_tan, UINT64_C(0x3c16ec103a952325)},
    {TG_OP_asin, UINT64_C(0xc97b39ba2fd6a325)},    {TG_OP_acos, UINT64_C(0x1238086fd8890325)},
    {TG_OP_atan, UINT64_C(0xf9e5ab237021a325)},    {TG_OP_sinh, UINT64_C(0x948aaf3a6e222325)},
    {TG_OP_cosh, UINT64_C(0xec98a9f92037a325)},    {TG_OP_asinh, UINT64_C(0xfe0d8ea95226a325)},
    {TG_OP_acosh, UINT64_C(0x049f6e8d18d8a325)},   {TG_OP_atanh, UINT64_C(0xc4ee480fa4d9a325)},
    {TG_OP_erf_inv, UINT64_C(0xbdc958ea1ac22325)}, {TG_OP_cbrt, UINT64_C(0x4e530d8f9ce1a325)},
    {TG_OP_log2, UINT64_C(0xa609e0bce787e325)},
};

Test(elementary, every_f16)
{
    enum { CODES = 1 << 16 };
    static float x[CODES], r[CODES];
    const void *source[1] = {x};
    const tg_elementary *set = &tg_elementary__baseline, *wider;
    for (unsigned k = 1; (wider = set_at(k)) != NULL; k++) set = wider;
    for (uint32_t code = 0; code < CODES; code++) x[code] = of_f16(code);
    for (size_t f = 0; f < sizeof digests / sizeof *digests; f++) {
        uint64_t digest = UINT64_C(0xcbf29ce484222325);
        set->f32_odd[digests[f].op](r, source, 0, CODES, 0);
        for (size_t i = 0; i < CODES; i++) {
            const float narrow = to_f16(r[i]);
            digest = (digest ^ (narrow != narrow ? 0x7fc00000 : bits_of_f32(narrow))) *
                     UINT64_C(0x100000001b3);
        }
        cr_expect_eq(digest, digests[f].digest, "%s", tg_ops[digests[f].op].name);
    }
}
