/* Every operation on floats against the C library and MPFR (numerics_reference.h), with every instruction set:
 * a sample of f32 that has all exponents, random operands of f64 and pairs, all of narrow floats, and the
 * special values.  The whole of f32 is in conformance/numerics/certificate.tsv. */
#include <criterion/criterion.h>
#include <float.h>

#include "lanes_oracle.h"
#include "numerics_reference.h"
#include "sampled.h"

enum { ALL_CODES = 1 << 16, FRACTIONS = 256, RANDOM = 1 << 16 };

static double operand_a[ALL_CODES], operand_b[ALL_CODES], result[ALL_CODES];

/* Holds `count` results of the baseline against the reference, and those of the other sets against them. */
static void check(const reference *f, tg_dtype d, size_t count)
{
    static double other[REFERENCE_BLOCK];
    tally t = {0};
    for (size_t at = 0; at < count; at += REFERENCE_BLOCK) {
        const size_t n = count - at < REFERENCE_BLOCK ? count - at : REFERENCE_BLOCK;
        const double *const a = operand_a + at, *const b = operand_b + at;
        reference_run(tg_elementwise_get("baseline"), f, d, a, b, result, n);
        reference_check(f, d, a, b, result, n, &t);
        for (int isa = 1; isa < LANES_ISAS; isa++) {
            const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
            if (lanes == NULL) continue;
            reference_run(lanes, f, d, a, b, other, n);
            for (size_t i = 0; i < n; i++)
                cr_assert(same_value(other[i], result[i]), "%s %s %s(%a, %a)", lanes_isas[isa],
                          tg_dtypes[d].name, f->name, a[i], b[i]);
        }
    }
    cr_assert(tally_is_clean(&t), "%s %s(%a, %a) is %a, not %a; %llu wrong, C library off by %a",
              tg_dtypes[d].name, f->name, t.wrong_a, t.wrong_b, t.wrong_got, t.wrong_want,
              (unsigned long long)t.wrong, t.fast_error);
}

/* -- f32 and f64 -- */

/* The fraction number k of an exponent: the ends, the middle, and others all over. */
static uint32_t fraction_at(uint32_t k, uint64_t *state)
{
    const uint32_t fixed[] = {0, 1, 0x3fffff, 0x400000, 0x400001, 0x7fffff};
    return k < sizeof fixed / sizeof *fixed ? fixed[k] : (uint32_t)(random_bits(state) & 0x7fffff);
}

Test(numerics, f32_at_every_exponent)
{
    for (size_t f = 0; f < reference_count; f++) {
        uint64_t state = f;
        if (references[f].operands != 1) continue;
        for (uint32_t sign_and_exponent = 0; sign_and_exponent < 512; sign_and_exponent += 256) {
            for (uint32_t k = 0; k < ALL_CODES; k++) {
                const uint32_t top = sign_and_exponent + k / FRACTIONS;
                const uint32_t bits = top << 23 | fraction_at(k % FRACTIONS, &state);
                operand_a[k] = operand_b[k] = (double)f32_of_bits(bits);
            }
            check(&references[f], TG_DT_f32, ALL_CODES);
        }
    }
}

static void check_random(tg_dtype d, int operands)
{
    for (size_t f = 0; f < reference_count; f++) {
        if (references[f].operands != operands) continue;
        for (size_t k = 0; k < RANDOM; k++)
            reference_random(&references[f], d, k, &operand_a[k], &operand_b[k]);
        check(&references[f], d, RANDOM);
    }
}

Test(numerics, random_pairs_of_f32) { check_random(TG_DT_f32, 2); }
Test(numerics, random_f64) { check_random(TG_DT_f64, 1); }
Test(numerics, random_pairs_of_f64) { check_random(TG_DT_f64, 2); }

/* -- narrow floats -- */

Test(numerics, every_narrow_operand)
{
    for (int d = 0; d < TG_DT_COUNT; d++) {
        if (!is_narrow((tg_dtype)d)) continue;
        const uint32_t step = tg_dtypes[d].bits == 16 ? (uint32_t)sampled(1, 11) : 1;
        const uint32_t codes = (1u << tg_dtypes[d].bits) / step;
        for (uint32_t k = 0; k < codes; k++)
            operand_a[k] = operand_b[k] = code_value((tg_dtype)d, k * step);
        for (size_t f = 0; f < reference_count; f++)
            if (references[f].operands == 1) check(&references[f], (tg_dtype)d, codes);
    }
}

Test(numerics, every_pair_of_8_bits_and_less)
{
    for (int d = 0; d < TG_DT_COUNT; d++) {
        if (!is_narrow((tg_dtype)d) || tg_dtypes[d].bits > 8) continue;
        const uint32_t codes = 1u << tg_dtypes[d].bits, step = (uint32_t)sampled(1, 7);
        const uint32_t pairs = codes * codes / step;
        for (uint32_t k = 0; k < pairs; k++) {
            operand_a[k] = code_value((tg_dtype)d, k * step % codes);
            operand_b[k] = code_value((tg_dtype)d, k * step / codes);
        }
        for (size_t f = 0; f < reference_count; f++)
            if (references[f].operands == 2) check(&references[f], (tg_dtype)d, pairs);
    }
}

/* -- special values -- */

/* Where functions have their zeros, poles, ends and exact values; each with both signs. */
static const double special_f64[] = {
    0,
    0x1p-1074,
    0x0.fffffffffffffp-1022,
    DBL_MIN,
    0x1p-149,
    0x1p-126,
    0x1p-27,
    0.25,
    0.5,
    0x1.fffffffffffffp-1,
    1,
    0x1.0000000000001p0,
    1.5,
    2,
    2.5,
    3,
    4,
    8,
    10,
    0x1p31,
    0x1p52 - 0.5,
    0x1p52,
    0x1p52 + 1,
    0x1p53,
    0x1p53 + 2,
    0x1p63,
    0x1p64,
    (double)FLT_MAX,
    DBL_MAX,
};
static const double special_f32[] = {
    0,
    0x1p-149,
    0x0.fffffep-126,
    (double)FLT_MIN,
    0x1p-27,
    0.25,
    0.5,
    0x1.fffffep-1,
    1,
    0x1.000002p0,
    1.5,
    2,
    2.5,
    3,
    4,
    8,
    10,
    0x1p23 - 0.5,
    0x1p23,
    0x1p23 + 1,
    0x1p24,
    0x1p24 + 2,
    0x1p31,
    0x1p64,
    (double)FLT_MAX,
};

/* With inf and NaN to them; how many there are. */
static size_t special_values(tg_dtype d, double *out)
{
    const double *const list = d == TG_DT_f64 ? special_f64 : special_f32;
    const size_t length = d == TG_DT_f64 ? sizeof special_f64 / sizeof *special_f64
                                         : sizeof special_f32 / sizeof *special_f32;
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        out[n++] = list[i];
        out[n++] = -list[i];
    }
    out[n++] = ORACLE_INF;
    out[n++] = -ORACLE_INF;
    out[n++] = ORACLE_NAN;
    return n;
}

static void check_special(tg_dtype d)
{
    double values[64];
    const size_t n = special_values(d, values);
    for (size_t k = 0; k < n * n; k++) {
        operand_a[k] = values[k % n];
        operand_b[k] = values[k / n];
    }
    for (size_t f = 0; f < reference_count; f++)
        check(&references[f], d, references[f].operands == 1 ? n : n * n);
}

Test(numerics, special_values_of_f32) { check_special(TG_DT_f32); }
Test(numerics, special_values_of_f64) { check_special(TG_DT_f64); }

/* -- the reference itself -- */

/* It must object to a neighbour of the right value, of each dtype. */
Test(numerics, wrong_results_are_seen)
{
    const tg_dtype dtypes[] = {TG_DT_f32, TG_DT_f64, TG_DT_f16, TG_DT_f8e4m3fn};
    const reference *const f = reference_find("exp");
    const double a = 0.625;
    cr_assert_not_null(f);
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        double right;
        tally good = {0}, bad = {0};
        reference_run(tg_elementwise_get(NULL), f, dtypes[k], &a, &a, &right, 1);
        const double wrong = right * (1 + ldexp(1.5, -tg_dtypes[dtypes[k]].man_bits));
        reference_check(f, dtypes[k], &a, &a, &right, 1, &good);
        reference_check(f, dtypes[k], &a, &a, &wrong, 1, &bad);
        cr_assert(good.wrong == 0 && bad.wrong == 1, "%s", tg_dtypes[dtypes[k]].name);
    }
}
