/* Checks the elementary functions against MPFR.  Not part of the test run: the exhaustive check of
 * one function takes about a minute.
 *
 *   verify_elementary f32 FUNCTION [FIRST LAST]   every f32 operand, or a range of bits
 *   verify_elementary f64 FUNCTION [COUNT]        largest error in ULP over COUNT random operands
 *   verify_elementary pairs FUNCTION [COUNT]      pow, atan2: f32 results and f64 errors of random
 *                                                 pairs, some of them exact ties
 *   verify_elementary narrow FUNCTION             every f16 and bf16: f32_odd, rounded again
 *   verify_elementary hard FUNCTION [COUNT]       f32 operands with values nearest to a boundary
 *
 * An f32 result can only be wrong where the f64 form lies within its own error of a boundary
 * between two f32.  So only operands within 2^-43 of a boundary, a distance far above the form's
 * error, go to MPFR; of the others it is checked that f32 is the rounded f64.  Exit status 1 if
 * anything was wrong.
 * Build: link with isa_elementary.c of the three instruction sets, -lmpfr -lgmp -lm. */
#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/lanes/elementary.h"

enum { PRECISION = 256, BLOCK = 4096, HARD_LIMIT = 64 };

typedef void reference_fn(mpfr_t r, const mpfr_t x);

static void ref_logistic(mpfr_t r, const mpfr_t x)
{
    mpfr_neg(r, x, MPFR_RNDN);
    mpfr_exp(r, r, MPFR_RNDN);
    mpfr_add_ui(r, r, 1, MPFR_RNDN);
    mpfr_ui_div(r, 1, r, MPFR_RNDN);
}

static void ref_rsqrt(mpfr_t r, const mpfr_t x)
{
    if (mpfr_zero_p(x))
        mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1);
    else
        mpfr_rec_sqrt(r, x, MPFR_RNDN);
}

/* One step of Newton for erf(y) = x, or erfc(y) = 1 - x where that is better known. */
static void erf_inv_step(mpfr_t y, const mpfr_t x)
{
    mpfr_t f, slope;
    mpfr_inits2(PRECISION, f, slope, (mpfr_ptr)NULL);
    mpfr_ui_sub(slope, 1, x, MPFR_RNDN);
    mpfr_erfc(f, y, MPFR_RNDN);
    mpfr_sub(f, slope, f, MPFR_RNDN);
    if (mpfr_cmp_d(x, 0.5) < 0) {
        mpfr_erf(f, y, MPFR_RNDN);
        mpfr_sub(f, f, x, MPFR_RNDN);
    }
    mpfr_sqr(slope, y, MPFR_RNDN);
    mpfr_exp(slope, slope, MPFR_RNDN);
    mpfr_mul(f, f, slope, MPFR_RNDN);
    mpfr_const_pi(slope, MPFR_RNDN);
    mpfr_sqrt(slope, slope, MPFR_RNDN);
    mpfr_div_ui(slope, slope, 2, MPFR_RNDN);
    mpfr_mul(f, f, slope, MPFR_RNDN);
    mpfr_sub(y, y, f, MPFR_RNDN);
    mpfr_clears(f, slope, (mpfr_ptr)NULL);
}

static void ref_erf_inv(mpfr_t r, const mpfr_t x)
{
    mpfr_t a;
    if (mpfr_zero_p(x) || mpfr_nan_p(x)) {
        mpfr_set(r, x, MPFR_RNDN);
    } else if (mpfr_cmpabs_ui(x, 1) >= 0) {
        if (mpfr_cmpabs_ui(x, 1) == 0)
            mpfr_set_inf(r, mpfr_sgn(x));
        else
            mpfr_set_nan(r);
    } else {
        mpfr_init2(a, PRECISION);
        mpfr_abs(a, x, MPFR_RNDN);
        /* start: sqrt(-log(1 - x)) from above converges for erfc; x itself for small x */
        if (mpfr_cmp_d(a, 0.5) < 0) {
            mpfr_set(r, a, MPFR_RNDN);
        } else {
            mpfr_neg(r, a, MPFR_RNDN);
            mpfr_log1p(r, r, MPFR_RNDN);
            mpfr_neg(r, r, MPFR_RNDN);
            mpfr_sqrt(r, r, MPFR_RNDN);
            mpfr_mul_d(r, r, 0.85, MPFR_RNDN);
        }
        for (int i = 0; i < 14; i++) erf_inv_step(r, a);
        mpfr_setsign(r, r, mpfr_signbit(x), MPFR_RNDN);
        mpfr_clear(a);
    }
}

#define REF(id)                                                                                    \
    static void ref_##id(mpfr_t r, const mpfr_t x) { mpfr_##id(r, x, MPFR_RNDN); }
/* clang-format off */
REF(exp) REF(exp2) REF(expm1) REF(log) REF(log2) REF(log1p) REF(sin) REF(cos) REF(tan) REF(asin) REF(acos)
REF(atan) REF(sinh) REF(cosh) REF(tanh) REF(asinh) REF(acosh) REF(atanh) REF(erf) REF(cbrt)

/* Operands outside [low, high] are left out of the random ones: their results are all alike. */
typedef struct function {
    const char *name;
    tg_opcode op;
    reference_fn *reference;
    double low, high;
} function;
/* clang-format on */

#define ROW(id, low, high)                                                                         \
    {                                                                                              \
#id, TG_OP_##id, ref_##id, low, high                                                       \
    }
static const function functions[] = {
    ROW(exp, -746, 710),
    ROW(exp2, -1075, 1024),
    ROW(expm1, -40, 710),
    ROW(log, 0, HUGE_VAL),
    ROW(log2, 0, HUGE_VAL),
    ROW(log1p, -1, HUGE_VAL),
    ROW(sin, -HUGE_VAL, HUGE_VAL),
    ROW(tanh, -22, 22),
    ROW(cos, -HUGE_VAL, HUGE_VAL),
    ROW(tan, -HUGE_VAL, HUGE_VAL),
    ROW(asin, -1, 1),
    ROW(acos, -1, 1),
    ROW(atan, -HUGE_VAL, HUGE_VAL),
    ROW(sinh, -711, 711),
    ROW(cosh, -711, 711),
    ROW(asinh, -HUGE_VAL, HUGE_VAL),
    ROW(acosh, 1, HUGE_VAL),
    ROW(atanh, -1, 1),
    ROW(logistic, -746, 40),
    ROW(erf, -6.5, 6.5),
    ROW(erf_inv, -1, 1),
    ROW(cbrt, -HUGE_VAL, HUGE_VAL),
    ROW(rsqrt, 0, HUGE_VAL),
};

static uint32_t bits32(float x)
{
    uint32_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static float float_of(uint32_t b)
{
    float x;
    memcpy(&x, &b, sizeof x);
    return x;
}

static double double_of(uint64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static const tg_elementary *widest(void)
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &tg_elementary__avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &tg_elementary__avx2;
#endif
    return &tg_elementary__baseline;
}

/* Distance of |d| from the nearest point halfway between two f32, relative to d. */
static double boundary_distance(double d)
{
    const double a = fabs(d);
    int e;
    (void)frexp(a, &e);
    const int quantum = e - 24 < -149 ? -149 : e - 24;
    const double scaled = ldexp(a, -quantum), fraction = scaled - floor(scaled);
    return fabs(fraction - 0.5) / scaled;
}

static float exact_f32(const function *f, float x, mpfr_t r, mpfr_t in)
{
    mpfr_set_flt(in, x, MPFR_RNDN);
    f->reference(r, in);
    return mpfr_get_flt(r, MPFR_RNDN);
}

static bool same_f32(float a, float b) { return bits32(a) == bits32(b) || (a != a && b != b); }

typedef struct tally {
    uint64_t tried, flagged, wrong, inconsistent, repaired;
} tally;

/* One operand within reach of a boundary. */
static void check_flagged(const function *f, float x, float got, double form, mpfr_t r, mpfr_t in,
                          tally *t)
{
    const float want = exact_f32(f, x, r, in);
    t->flagged++;
    if (!same_f32(want, got)) {
        t->wrong++;
        if (t->wrong <= HARD_LIMIT)
            printf("wrong: E(0x%08" PRIx32 ", 0x%08" PRIx32 ") got 0x%08" PRIx32 ", form %a\n",
                   bits32(x), bits32(want), bits32(got), form);
    } else if (!same_f32((float)form, want)) {
        t->repaired++;
    }
}

static int check_f32(const function *f, uint64_t first, uint64_t last)
{
    static float x[BLOCK], got[BLOCK];
    static double wide[BLOCK], form[BLOCK];
    const tg_elementary *table = widest();
    const void *source[1] = {x}, *wide_source[1] = {wide};
    tally t = {0, 0, 0, 0, 0};
    mpfr_t r, in;
    mpfr_inits2(PRECISION, r, in, (mpfr_ptr)NULL);
    for (uint64_t begin = first; begin <= last; begin += BLOCK) {
        const size_t count = last - begin + 1 < BLOCK ? (size_t)(last - begin + 1) : BLOCK;
        for (size_t i = 0; i < count; i++) {
            x[i] = float_of((uint32_t)(begin + i));
            wide[i] = (double)x[i];
        }
        table->f32[f->op](got, source, 0, count, 0);
        table->f64[f->op](form, wide_source, 0, count, 0);
        for (size_t i = 0; i < count; i++) {
            uint64_t bits;
            memcpy(&bits, &form[i], sizeof bits);
            const double a = fabs(form[i]);
            const uint64_t low = (bits + 1024 - 0x10000000) & 0x1fffffff;
            const bool normal = a >= 0x1p-126 && a < 0x1.ffffffp127;
            const bool near =
                normal ? low < 2048
                       : a > 0x1p-151 && a < 0x1.00001p128 && boundary_distance(form[i]) < 0x1p-43;
            if (near)
                check_flagged(f, x[i], got[i], form[i], r, in, &t);
            else if (!same_f32(got[i], (float)form[i]) && t.inconsistent++ < 8)
                printf("f32 is not the rounded f64 at 0x%08" PRIx32 "\n", bits32(x[i]));
        }
        t.tried += count;
    }
    mpfr_clears(r, in, (mpfr_ptr)NULL);
    printf("%s f32: tried %" PRIu64 ", flagged %" PRIu64 ", wrong %" PRIu64
           ", exceptions in use %" PRIu64 ", inconsistent %" PRIu64 "\n",
           f->name, t.tried, t.flagged, t.wrong, t.repaired, t.inconsistent);
    return t.wrong != 0 || t.inconsistent != 0;
}

/* |got - exact| in units of the last place of the exact value. */
static double error_in_ulp(double got, mpfr_t exact, mpfr_t scratch)
{
    const double rounded = mpfr_get_d(exact, MPFR_RNDN);
    if (got != got || rounded != rounded)
        return (got != got) == (rounded != rounded) ? 0.0 : HUGE_VAL;
    if (got == rounded) {
        if (isinf(got) || got == 0.0) return signbit(got) == signbit(rounded) ? 0.0 : HUGE_VAL;
    } else if (isinf(got) || isinf(rounded)) {
        /* across the overflow boundary: count from where the infinity would be */
        if (isinf(got) && fabs(rounded) == 0x1.fffffffffffffp1023) return 1.0;
        return isinf(rounded) && fabs(got) == 0x1.fffffffffffffp1023 ? 1.0 : HUGE_VAL;
    }
    const mpfr_exp_t e = mpfr_zero_p(exact) ? -1073 : mpfr_get_exp(exact);
    mpfr_sub_d(scratch, exact, got, MPFR_RNDN);
    mpfr_mul_2si(scratch, scratch, e - 53 < -1074 ? 1074 : 53 - e, MPFR_RNDN);
    return fabs(mpfr_get_d(scratch, MPFR_RNDN));
}

/* Random operands: any bits, exponents that matter, and the neighbourhood of 1 and -1. */
static double random_operand(uint64_t *state)
{
    const uint64_t b = next_random(state), choice = next_random(state);
    const uint64_t exponent = 1023 - 30 + (choice >> 8) % 41;
    const double near = ldexp(double_of((b & UINT64_C(0x800fffffffffffff)) | UINT64_C(1023) << 52),
                              -(int)((choice >> 8) % 50));
    switch (choice % 4) {
    case 0: return double_of(b);
    case 1: return 1.0 + near;
    case 2: return near - 1.0;
    default: return double_of((b & UINT64_C(0x800fffffffffffff)) | exponent << 52);
    }
}

static int check_f64(const function *f, uint64_t wanted)
{
    static double x[BLOCK], got[BLOCK];
    const void *source[1] = {x};
    const tg_elementary *table = widest();
    uint64_t state = 1, tried = 0;
    double worst = 0, worst_at = 0;
    mpfr_t exact, in, scratch;
    mpfr_inits2(PRECISION, exact, in, scratch, (mpfr_ptr)NULL);
    while (tried < wanted) {
        size_t count = 0;
        while (count < BLOCK) {
            const double a = random_operand(&state);
            if (a >= f->low && a <= f->high) x[count++] = a;
        }
        table->f64[f->op](got, source, 0, count, 0);
        for (size_t i = 0; i < count; i++) {
            mpfr_set_d(in, x[i], MPFR_RNDN);
            f->reference(exact, in);
            const double error = error_in_ulp(got[i], exact, scratch);
            if (error > worst) {
                worst = error;
                worst_at = x[i];
            }
        }
        tried += count;
    }
    mpfr_clears(exact, in, scratch, (mpfr_ptr)NULL);
    printf("%s f64: tried %" PRIu64 ", largest error %.4f ULP at %a\n", f->name, tried, worst,
           worst_at);
    return worst > 1.0;
}

/* The exact value rounded to f32 by round-to-odd; overflow gives the greatest f32. */
static float exact_odd(mpfr_t exact)
{
    const float down = mpfr_get_flt(exact, MPFR_RNDZ);
    const bool inexact = mpfr_number_p(exact) && mpfr_cmp_d(exact, (double)down) != 0;
    return inexact ? float_of(bits32(down) | 1) : down;
}

/* FNV-1a over results; test_elementary.c holds those of f16. */
static void digest_f32(uint64_t *digest, float x)
{
    *digest = (*digest ^ (x != x ? 0x7fc00000 : bits32(x))) * UINT64_C(0x100000001b3);
}

/* Rounds an f32, itself rounded to odd, to `man` stored bits of fraction, exponents from `least`
 * on, and infinity beyond `greatest`. */
static float to_narrow(float x, int man, int least, float greatest)
{
    int e;
    if (x == 0 || x - x != 0) return x;
    (void)frexpf(x, &e);
    const int quantum = (e - 1 < least ? least : e - 1) - man;
    const float r = (float)ldexp(rint(ldexp((double)x, -quantum)), quantum);
    return fabsf(r) > greatest ? copysignf(HUGE_VALF, r) : r;
}

static float of_f16(uint32_t code)
{
    const int exponent = (int)(code >> 10 & 31), fraction = (int)(code & 0x3ff);
    const double size =
        exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    const float special = fraction == 0 ? HUGE_VALF : float_of(0x7fc00000);
    const float x = exponent == 31 ? special : (float)size;
    return (code & 0x8000) != 0 ? -x : x;
}

static int check_narrow(const function *f)
{
    const tg_elementary *table = widest();
    const struct {
        int man, least;
        float greatest;
    } kinds[2] = {{10, -14, 65504.0f}, {7, -126, 0x1.fep127f}};
    uint64_t tried = 0, wrong = 0, not_odd = 0, digest = UINT64_C(0xcbf29ce484222325);
    mpfr_t exact, in;
    mpfr_inits2(PRECISION, exact, in, (mpfr_ptr)NULL);
    for (int kind = 0; kind < 2; kind++) {
        for (uint32_t code = 0; code < 0x10000; code++) {
            const float x = kind == 0 ? of_f16(code) : float_of(code << 16);
            const void *source[1] = {&x};
            float got;
            table->f32_odd[f->op](&got, source, 0, 1, 0);
            mpfr_set_flt(in, x, MPFR_RNDN);
            f->reference(exact, in);
            const float want = exact_odd(exact);
            tried++;
            if (isinf(got) && fabsf(want) == 0x1.fffffep127f) got = want;
            not_odd += !same_f32(want, got);
            const float a =
                to_narrow(want, kinds[kind].man, kinds[kind].least, kinds[kind].greatest);
            const float b =
                to_narrow(got, kinds[kind].man, kinds[kind].least, kinds[kind].greatest);
            if (kind == 0) digest_f32(&digest, a);
            if (!same_f32(a, b) && wrong++ < 8)
                printf("wrong: x %a, want %a, got %a\n", (double)x, (double)want, (double)got);
        }
    }
    mpfr_clears(exact, in, (mpfr_ptr)NULL);
    printf("%s narrow: tried %" PRIu64 ", wrong after the second rounding %" PRIu64
           ", f32_odd not exact %" PRIu64 ", f16 digest 0x%016" PRIx64 "\n",
           f->name, tried, wrong, not_odd, digest);
    return wrong != 0;
}

/* The operands found nearest to a boundary, with their results, as rows for a test. */
static int list_hard(const function *f, size_t wanted)
{
    static struct {
        double distance;
        uint32_t x;
    } best[HARD_LIMIT];
    const tg_elementary *table = widest();
    size_t found = 0;
    mpfr_t r, in;
    mpfr_inits2(PRECISION, r, in, (mpfr_ptr)NULL);
    for (uint64_t code = 0; code < UINT64_C(1) << 32; code += 127) {
        const double x = (double)float_of((uint32_t)code);
        const void *source[1] = {&x};
        double form;
        table->f64[f->op](&form, source, 0, 1, 0);
        if (!(fabs(form) > 0x1p-126 && fabs(form) < 0x1p128)) continue;
        const double distance = boundary_distance(form);
        if (found == wanted && distance >= best[found - 1].distance) continue;
        size_t at = found < wanted ? found++ : found - 1;
        for (; at > 0 && distance < best[at - 1].distance; at--) best[at] = best[at - 1];
        best[at].distance = distance;
        best[at].x = (uint32_t)code;
    }
    for (size_t i = 0; i < found; i++)
        printf("HARD(%s, 0x%08" PRIx32 ", 0x%08" PRIx32 ")\n", f->name, best[i].x,
               bits32(exact_f32(f, float_of(best[i].x), r, in)));
    mpfr_clears(r, in, (mpfr_ptr)NULL);
    return 0;
}

typedef int reference_pair_fn(mpfr_t r, const mpfr_t a, const mpfr_t b, mpfr_rnd_t rounding);

/* One f32 pair in four has a small integral or half-integral second operand, where exact ties
 * are. */
static void random_pair(uint64_t *state, float *a, float *b)
{
    const uint64_t x = next_random(state), y = next_random(state);
    *a = float_of((uint32_t)x);
    *b = float_of((uint32_t)y);
    if (y >> 62 == 0) *b = (float)((int)(x >> 40 & 63) - 24) * 0.5f;
    if (y >> 62 == 0)
        *a = (float)(x & (x >> 32 & 1 ? 0x1fff : 0xff)) * ((x >> 33 & 1) != 0 ? 0.25f : 1.0f);
    if (y >> 62 == 1) *a = float_of(0x3f000000 + (uint32_t)(x & 0xffffff));
    if (y >> 62 == 2)
        *b = float_of((0x40000000 & (uint32_t)y) | (0x38000000 + (uint32_t)(y & 0x0bffffff)));
}

static int check_pairs(const char *name, tg_opcode op, reference_pair_fn *reference,
                       uint64_t wanted)
{
    const tg_elementary *table = widest();
    uint64_t state = 7, tried = 0, wrong = 0, ties = 0;
    double worst = 0, worst_a = 0, worst_b = 0;
    mpfr_t r, x, y, scratch;
    mpfr_inits2(PRECISION, r, x, y, scratch, (mpfr_ptr)NULL);
    for (; tried < wanted; tried++) {
        float a, b, got;
        random_pair(&state, &a, &b);
        const void *source[2] = {&a, &b};
        table->f32[op](&got, source, 0, 1, 0);
        mpfr_set_flt(x, a, MPFR_RNDN);
        mpfr_set_flt(y, b, MPFR_RNDN);
        (void)reference(r, x, y, MPFR_RNDN);
        const float want = mpfr_get_flt(r, MPFR_RNDN);
        if (mpfr_number_p(r) && mpfr_cmp_d(r, mpfr_get_d(r, MPFR_RNDN)) == 0) {
            const double d = mpfr_get_d(r, MPFR_RNDN);
            ties += d != 0 && isfinite(want) && boundary_distance(d) == 0;
        }
        if (!same_f32(want, got) && wrong++ < 8)
            printf("wrong: %s(%a, %a) want %a, got %a\n", name, (double)a, (double)b, (double)want,
                   (double)got);
        const double da = (tried & 1) != 0 ? (double)a : random_operand(&state);
        const double db = (tried & 1) != 0 ? (double)b : random_operand(&state);
        const void *wide_source[2] = {&da, &db};
        double wide;
        table->f64[op](&wide, wide_source, 0, 1, 0);
        mpfr_set_d(x, da, MPFR_RNDN);
        mpfr_set_d(y, db, MPFR_RNDN);
        (void)reference(r, x, y, MPFR_RNDN);
        const double error = error_in_ulp(wide, r, scratch);
        if (error > worst) {
            worst = error;
            worst_a = da;
            worst_b = db;
        }
    }
    mpfr_clears(r, x, y, scratch, (mpfr_ptr)NULL);
    printf("%s pairs: tried %" PRIu64 " (%" PRIu64 " exact ties), f32 wrong %" PRIu64
           ", f64 largest error %.4f ULP at %a %a\n",
           name, tried, ties, wrong, worst, worst_a, worst_b);
    return wrong != 0 || worst > 1.0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "", *name = argc > 2 ? argv[2] : "";
    const uint64_t a = argc > 3 ? strtoull(argv[3], NULL, 0) : 0,
                   b = argc > 4 ? strtoull(argv[4], NULL, 0) : 0;
    if (strcmp(mode, "pairs") == 0 && strcmp(name, "pow") == 0)
        return check_pairs(name, TG_OP_pow, mpfr_pow, argc > 3 ? a : 1000000);
    if (strcmp(mode, "pairs") == 0 && strcmp(name, "atan2") == 0)
        return check_pairs(name, TG_OP_atan2, mpfr_atan2, argc > 3 ? a : 1000000);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const function *f = &functions[i];
        if (strcmp(f->name, name) != 0) continue;
        if (strcmp(mode, "f32") == 0)
            return check_f32(f, argc > 4 ? a : 0, argc > 4 ? b : UINT32_MAX);
        if (strcmp(mode, "f64") == 0) return check_f64(f, argc > 3 ? a : 1000000);
        if (strcmp(mode, "narrow") == 0) return check_narrow(f);
        if (strcmp(mode, "hard") == 0)
            return list_hard(f, argc > 3 && a <= HARD_LIMIT ? (size_t)a : 20);
    }
    fprintf(stderr, "usage: verify_elementary f32|f64|pairs|narrow|hard FUNCTION [...]\n");
    return 2;
}
