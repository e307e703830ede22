#include "tests/numerics_reference.h"

#include <math.h>
#include <string.h>

#include "tests/lanes_oracle.h"

/* -- glibc's vector functions, where there are any: the loops below then call them -- */

#if defined __x86_64__ && defined __GLIBC__ && !defined __clang__
#if __GLIBC_PREREQ(2, 35)
#define VECTOR __attribute__((simd("notinbranch")))
extern double exp(double) VECTOR;
extern double exp2(double) VECTOR;
extern double expm1(double) VECTOR;
extern double log(double) VECTOR;
extern double log2(double) VECTOR;
extern double log1p(double) VECTOR;
extern double sin(double) VECTOR;
extern double cos(double) VECTOR;
extern double tan(double) VECTOR;
extern double asin(double) VECTOR;
extern double acos(double) VECTOR;
extern double atan(double) VECTOR;
extern double sinh(double) VECTOR;
extern double cosh(double) VECTOR;
extern double tanh(double) VECTOR;
extern double asinh(double) VECTOR;
extern double acosh(double) VECTOR;
extern double atanh(double) VECTOR;
extern double erf(double) VECTOR;
extern double erfc(double) VECTOR;
extern double cbrt(double) VECTOR;
extern double pow(double, double) VECTOR;
extern double atan2(double, double) VECTOR;
#endif
#endif

/* -- compositions of them -- */

#define PI_L 3.14159265358979323846264338327950288L

static inline double fast_select(bool first, double a, double b) { return first ? a : b; }

/* One step of Halley's for erf(y) = a: from erf where that is small, else from erfc. */
static inline double erf_inv_step(double y, double a)
{
    const double low = erf(y) - a, high = (1 - a) - erfc(y);
    const double error = fast_select(a < 0.5, low, high);
    const double step =
        error * (double)(0.5L / 0.56418958354775628694807945156077259L) * exp(y * y);
    return y - step / (1 + y * step);
}

/* Winitzki's approximation, good to three digits. */
static inline double erf_inv_start(double a)
{
    const double l = log((1 - a) * (1 + a)), m = 2 / ((double)PI_L * 0.147) + 0.5 * l;
    return sqrt((sqrt(m * m - l / 0.147) - m));
}

static inline double fast_erf_inv(double x)
{
    const double a = fabs(x), inner = a < 1 ? a : 0.5;
    const double start =
        fast_select(inner < 0x1p-20, inner * 0.8862269254527580, erf_inv_start(inner));
    const double y = erf_inv_step(erf_inv_step(erf_inv_step(start, inner), inner), inner);
    const double outside = a == 1 ? HUGE_VAL : ORACLE_NAN;
    return copysign(a < 1 ? y : outside, x);
}

static long double wide_erf_inv(long double x, long double unused)
{
    const long double a = fabsl(x), inner = a < 1 ? a : 0.5L;
    long double y = (long double)fast_erf_inv((double)inner);
    (void)unused;
    for (int i = 0; i < 2; i++) {
        const long double error = a < 0.5L ? erfl(y) - inner : (1 - inner) - erfcl(y);
        const long double step = error * 0.5L * sqrtl(PI_L) * expl(y * y);
        y -= step / (1 + y * step);
    }
    const long double outside = a == 1 ? HUGE_VALL : (long double)NAN;
    return copysignl(a < 1 ? y : outside, x);
}

static void exact_erf_inv_step(mpfr_t y, const mpfr_t x)
{
    mpfr_t f, slope;
    mpfr_inits2(REFERENCE_PRECISION, f, slope, (mpfr_ptr)NULL);
    if (mpfr_cmp_d(x, 0.5) < 0) {
        mpfr_erf(f, y, MPFR_RNDN);
        mpfr_sub(f, f, x, MPFR_RNDN);
    } else {
        mpfr_ui_sub(slope, 1, x, MPFR_RNDN);
        mpfr_erfc(f, y, MPFR_RNDN);
        mpfr_sub(f, slope, f, MPFR_RNDN);
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

static void exact_erf_inv(mpfr_t r, const mpfr_t x, const mpfr_t unused)
{
    mpfr_t a;
    (void)unused;
    if (mpfr_zero_p(x) || mpfr_nan_p(x)) {
        mpfr_set(r, x, MPFR_RNDN);
        return;
    }
    mpfr_init2(a, REFERENCE_PRECISION);
    mpfr_abs(a, x, MPFR_RNDN);
    mpfr_set_d(r, fast_erf_inv(mpfr_get_d(a, MPFR_RNDN)), MPFR_RNDN);
    /* each step doubles the 45 bits and more of the start */
    for (int i = 0; mpfr_number_p(r) && i < 4; i++) exact_erf_inv_step(r, a);
    mpfr_setsign(r, r, mpfr_signbit(x), MPFR_RNDN);
    mpfr_clear(a);
}

static void exact_logistic(mpfr_t r, const mpfr_t x, const mpfr_t unused)
{
    (void)unused;
    mpfr_neg(r, x, MPFR_RNDN);
    mpfr_exp(r, r, MPFR_RNDN);
    mpfr_add_ui(r, r, 1, MPFR_RNDN);
    mpfr_ui_div(r, 1, r, MPFR_RNDN);
}

static void exact_rsqrt(mpfr_t r, const mpfr_t x, const mpfr_t unused)
{
    (void)unused;
    if (mpfr_zero_p(x))
        mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1);
    else
        mpfr_rec_sqrt(r, x, MPFR_RNDN);
}

/* MPFR's mpfr_sub of equal numbers gives a zero whose sign is that of IEEE; fmod's of C too. */
#define EXACT_1(id, call)                                                                          \
    static void exact_##id(mpfr_t r, const mpfr_t a, const mpfr_t b)                               \
    {                                                                                              \
        (void)b;                                                                                   \
        (void)call;                                                                                \
    }
#define EXACT_2(id, call)                                                                          \
    static void exact_##id(mpfr_t r, const mpfr_t a, const mpfr_t b) { (void)call; }
#define FAST(id, expression)                                                                       \
    static void fast_of_##id(double *restrict r, const double *restrict p,                         \
                             const double *restrict q, size_t count)                               \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            const double a = p[i], b = q[i];                                                       \
            (void)b;                                                                               \
            r[i] = expression;                                                                     \
        }                                                                                          \
    }
#define WIDE(id, expression)                                                                       \
    static long double wide_of_##id(long double a, long double b)                                  \
    {                                                                                              \
        (void)b;                                                                                   \
        return expression;                                                                         \
    }

/* X(name, op, imm, operands, f64, long double, MPFR, least and greatest operand of interest) */
#define PLAIN(X, id, low, high)                                                                    \
    X(id, id, 0, 1, id(a), id##l(a), mpfr_##id(r, a, MPFR_RNDN), low, high)
/* clang-format off */
#define EACH_REFERENCE(X)                                                                          \
    PLAIN(X, exp, -746, 710)                                                                       \
    PLAIN(X, exp2, -1075, 1024)                                                                    \
    PLAIN(X, expm1, -40, 710)                                                                      \
    PLAIN(X, log, 0, HUGE_VAL)                                                                     \
    PLAIN(X, log2, 0, HUGE_VAL)                                                                    \
    PLAIN(X, log1p, -1, HUGE_VAL)                                                                  \
    PLAIN(X, sin, -HUGE_VAL, HUGE_VAL)                                                             \
    PLAIN(X, cos, -HUGE_VAL, HUGE_VAL)                                                             \
    PLAIN(X, tan, -HUGE_VAL, HUGE_VAL)                                                             \
    PLAIN(X, asin, -1, 1)                                                                          \
    PLAIN(X, acos, -1, 1)                                                                          \
    PLAIN(X, atan, -HUGE_VAL, HUGE_VAL)                                                            \
    PLAIN(X, sinh, -711, 711)                                                                      \
    PLAIN(X, cosh, -711, 711)                                                                      \
    PLAIN(X, tanh, -22, 22)                                                                        \
    PLAIN(X, asinh, -HUGE_VAL, HUGE_VAL)                                                           \
    PLAIN(X, acosh, 1, HUGE_VAL)                                                                   \
    PLAIN(X, atanh, -1, 1)                                                                         \
    PLAIN(X, erf, -6.5, 6.5)                                                                       \
    PLAIN(X, cbrt, -HUGE_VAL, HUGE_VAL)                                                            \
    PLAIN(X, sqrt, 0, HUGE_VAL)                                                                    \
    X(logistic, logistic, 0, 1, 1 / (1 + exp(-a)), 1 / (1 + expl(-a)), (exact_logistic(r, a, b), 0), -746, 40) \
    X(erf_inv, erf_inv, 0, 1, fast_erf_inv(a), wide_erf_inv(a, b), (exact_erf_inv(r, a, b), 0), -1, 1) \
    X(rsqrt, rsqrt, 0, 1, 1 / sqrt(a), 1 / sqrtl(a), (exact_rsqrt(r, a, b), 0), 0, HUGE_VAL)       \
    X(floor, floor, 0, 1, floor(a), floorl(a), mpfr_rint_floor(r, a, MPFR_RNDN), -HUGE_VAL, HUGE_VAL) \
    X(ceil, ceil, 0, 1, ceil(a), ceill(a), mpfr_rint_ceil(r, a, MPFR_RNDN), -HUGE_VAL, HUGE_VAL)   \
    X(round, round, 0, 1, rint(a), rintl(a), mpfr_rint_roundeven(r, a, MPFR_RNDN), -HUGE_VAL, HUGE_VAL) \
    X(round_away, round, 1, 1, round(a), roundl(a), mpfr_rint_round(r, a, MPFR_RNDN), -HUGE_VAL, HUGE_VAL) \
    X(square, square, 0, 1, a * a, a * a, mpfr_sqr(r, a, MPFR_RNDN), -HUGE_VAL, HUGE_VAL)          \
    X(pow, pow, 0, 2, pow(a, b), powl(a, b), mpfr_pow(r, a, b, MPFR_RNDN), -HUGE_VAL, HUGE_VAL)    \
    X(atan2, atan2, 0, 2, atan2(a, b), atan2l(a, b), mpfr_atan2(r, a, b, MPFR_RNDN), -HUGE_VAL, HUGE_VAL) \
    X(add, add, 0, 2, a + b, a + b, mpfr_add(r, a, b, MPFR_RNDN), -HUGE_VAL, HUGE_VAL)             \
    X(sub, sub, 0, 2, a - b, a - b, mpfr_sub(r, a, b, MPFR_RNDN), -HUGE_VAL, HUGE_VAL)             \
    X(mul, mul, 0, 2, a * b, a * b, mpfr_mul(r, a, b, MPFR_RNDN), -HUGE_VAL, HUGE_VAL)             \
    X(div, div, 0, 2, a / b, a / b, mpfr_div(r, a, b, MPFR_RNDN), -HUGE_VAL, HUGE_VAL)             \
    X(rem, rem, 0, 2, fmod(a, b), fmodl(a, b), mpfr_fmod(r, a, b, MPFR_RNDN), -HUGE_VAL, HUGE_VAL)
/* clang-format on */

#define DEFINE(id, op, imm, operands, fast, wide, exact, low, high)                                \
    FAST(id, fast) WIDE(id, wide) DEFINE_EXACT_##operands(id, exact)
#define DEFINE_EXACT_1(id, exact) EXACT_1(of_##id, exact)
#define DEFINE_EXACT_2(id, exact) EXACT_2(of_##id, exact)
EACH_REFERENCE(DEFINE)

#define ROW(id, op, imm, operands, fast, wide, exact, low, high)                                   \
    {#id, TG_OP_##op, imm, operands, fast_of_##id, wide_of_##id, exact_of_##id, low, high},
const reference references[] = {EACH_REFERENCE(ROW)};
const size_t reference_count = sizeof references / sizeof *references;

const reference *reference_find(const char *name)
{
    for (size_t i = 0; i < reference_count; i++)
        if (strcmp(references[i].name, name) == 0) return &references[i];
    return NULL;
}

/* -- running ours -- */

void reference_run(const tg_elementwise *lanes, const reference *f, tg_dtype d, const double *a,
                   const double *b, double *r, size_t count)
{
    float narrow_a[REFERENCE_BLOCK], narrow_b[REFERENCE_BLOCK], narrow_r[REFERENCE_BLOCK];
    const bool wide = d == TG_DT_f64;
    const void *const source[2] = {wide ? (const void *)a : narrow_a,
                                   wide ? (const void *)b : narrow_b};
    for (size_t i = 0; !wide && i < count; i++) {
        narrow_a[i] = (float)a[i];
        narrow_b[i] = (float)b[i];
    }
    lanes_run(tg_elementwise_op(lanes, f->op, d, d), wide ? (void *)r : narrow_r, source, 0, count,
              f->imm);
    for (size_t i = 0; !wide && i < count; i++) r[i] = (double)narrow_r[i];
}

/* -- which results the C library decides -- */

#define MARGIN 0x1p-43

/* For f32: 1 where `fast` does not show that got is right. */
static void mark_f32(const double *restrict fast, const double *restrict got,
                     uint64_t *restrict open, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = bits_of_f64(fast[i]), wanted = bits_of_f64((double)(float)fast[i]);
        const double a = fabs(fast[i]);
        /* multiples of 2^-150, of which the odd ones are where the rounding of subnormals changes */
        const double steps = a * 0x1p149, below = floor(steps), off = fabs((steps - below) - 0.5);
        const uint64_t near_normal =
            ((bits + ((uint64_t)1 << 9) - 0x10000000) & 0x1fffffff) < (uint64_t)1 << 10;
        const uint64_t near_subnormal = off <= steps * MARGIN;
        const uint64_t is_normal = a >= 0x1p-126, is_plain = (a > 0x1p-152) & (a < 0x1.00001p128);
        const uint64_t near =
            is_plain & ((is_normal & near_normal) | ((is_normal ^ 1) & near_subnormal));
        const uint64_t differs = bits_of_f64(got[i]) != wanted;
        const uint64_t both_nan = (fast[i] != fast[i]) & (got[i] != got[i]);
        open[i] = (near | differs) & (both_nan ^ 1);
    }
}

/* The value of a narrow dtype for an exact result.  Products and quotients of f8e8m0fnu, which has no zero,
 * are rounded to f32 first: what underflows there is 0 and so NaN (interp/elementwise/lanes.h). */
static double narrowed(const reference *f, tg_dtype d, double exact)
{
    const bool by_f32 = f->op == TG_OP_mul || f->op == TG_OP_div || f->op == TG_OP_square;
    return nearest_value(d, d == TG_DT_f8e8m0fnu && by_f32 ? (double)(float)exact : exact);
}

/* For narrower dtypes. */
static void mark_narrow(const reference *f, tg_dtype d, const double *fast, const double *got,
                        uint64_t *open, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double low = narrowed(f, d, fast[i] * (1 - MARGIN)),
                     high = narrowed(f, d, fast[i] * (1 + MARGIN));
        open[i] = !same_value(low, high) || !same_value(low, got[i]);
    }
}

/* -- MPFR -- */

/* With all the exponents there are; powers go farther still, and what is too small for MPFR becomes its least
 * number, not 0. */
void reference_exact(const reference *f, mpfr_t r, double a, double b)
{
    mpfr_t x, y;
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_inits2(64, x, y, (mpfr_ptr)NULL);
    mpfr_set_d(x, a, MPFR_RNDN);
    mpfr_set_d(y, b, MPFR_RNDN);
    mpfr_clear_underflow();
    f->exact(r, x, y);
    if (mpfr_zero_p(r) && mpfr_underflow_p()) {
        if (mpfr_signbit(r))
            mpfr_nextbelow(r);
        else
            mpfr_nextabove(r);
    }
    mpfr_clears(x, y, (mpfr_ptr)NULL);
}

/* -- f64 -- */

static double ulp_size(double x)
{
    int e;
    (void)frexp(x, &e);
    return ldexp(1, e - 53 < -1074 ? -1074 : e - 53);
}

/* |got - exact| in units of the last place of the exact value; inf for another class or sign. */
static double error_in_ulp(double got, const mpfr_t exact)
{
    const double rounded = mpfr_get_d(exact, MPFR_RNDN);
    if (got != got || rounded != rounded)
        return (got != got) == (rounded != rounded) ? 0 : HUGE_VAL;
    if (got == rounded && (isinf(got) || got == 0)) {
        if (mpfr_zero_p(exact) || isinf(got))
            return signbit(got) == signbit(rounded) ? 0 : HUGE_VAL;
    } else if (isinf(got) || isinf(rounded)) {
        /* next to overflow: the infinity stands for 2^1024 */
        return fabs(isinf(got) ? rounded : got) == 0x1.fffffffffffffp1023 ? 1 : HUGE_VAL;
    }
    mpfr_t off;
    mpfr_init2(off, REFERENCE_PRECISION);
    mpfr_sub_d(off, exact, got, MPFR_RNDN);
    const mpfr_exp_t e = mpfr_get_exp(exact);
    mpfr_mul_2si(off, off, e - 53 < -1074 ? 1074 : 53 - e, MPFR_RNDN);
    const double error = fabs(mpfr_get_d(off, MPFR_RNDN));
    mpfr_clear(off);
    return error;
}

/* The error as long double sees it, or inf where it cannot tell. */
static double error_seen(double got, long double wide)
{
    if (got != got && wide != wide) return 0;
    if (!(fabsl(wide) < 0x1p1023L && fabsl(wide) > 0 && isfinite(got))) return HUGE_VAL;
    return (double)(fabsl((long double)got - wide) / (long double)ulp_size((double)wide));
}

/* Only an error that long double sees near to the largest so far is measured by MPFR. */
static void check_f64(const reference *f, const double *a, const double *b, const double *got,
                      size_t count, tally *t)
{
    mpfr_t r;
    mpfr_init2(r, REFERENCE_PRECISION);
    for (size_t i = 0; i < count; i++) {
        const double seen = error_seen(got[i], f->wide((long double)a[i], (long double)b[i]));
        if (seen < t->ulp - 0.02) continue;
        reference_exact(f, r, a[i], b[i]);
        const double error = error_in_ulp(got[i], r);
        t->by_mpfr++;
        if (error > t->ulp) {
            t->ulp = error;
            t->ulp_a = a[i];
            t->ulp_b = b[i];
        }
        if (error > 1 && t->wrong++ == 0) {
            t->wrong_a = a[i];
            t->wrong_b = b[i];
            t->wrong_got = got[i];
            t->wrong_want = mpfr_get_d(r, MPFR_RNDN);
        }
    }
    mpfr_clear(r);
}

/* -- f32 and narrower -- */

/* The value of `d` nearest to an exact value; if narrow, by way of the f64 below it with a last bit that says
 * whether anything was cut off. */
static double rounded_once(const reference *f, tg_dtype d, const mpfr_t exact)
{
    if (d == TG_DT_f32) return (double)mpfr_get_flt(exact, MPFR_RNDN);
    const double down = mpfr_get_d(exact, MPFR_RNDZ);
    const bool cut = mpfr_number_p(exact) && mpfr_cmp_d(exact, down) != 0;
    return narrowed(f, d, cut ? f64_of_bits(bits_of_f64(down) | 1) : down);
}

/* How far off the C library's value is, where that can be said in parts of it. */
static double relative_error(double fast, const mpfr_t exact)
{
    const double size = fabs(mpfr_get_d(exact, MPFR_RNDN));
    if (!(size > 0x1p-1000 && size < 0x1p1000 && isfinite(fast))) return 0;
    mpfr_t off;
    mpfr_init2(off, REFERENCE_PRECISION);
    mpfr_sub_d(off, exact, fast, MPFR_RNDN);
    mpfr_div(off, off, exact, MPFR_RNDN);
    const double error = fabs(mpfr_get_d(off, MPFR_RNDN));
    mpfr_clear(off);
    return error;
}

static void check_rounded(const reference *f, tg_dtype d, const double *a, const double *b,
                          const double *got, size_t count, tally *t)
{
    static _Thread_local double fast[REFERENCE_BLOCK];
    static _Thread_local uint64_t open[REFERENCE_BLOCK];
    mpfr_t r;
    f->fast(fast, a, b, count);
    if (d == TG_DT_f32)
        mark_f32(fast, got, open, count);
    else
        mark_narrow(f, d, fast, got, open, count);
    mpfr_init2(r, REFERENCE_PRECISION);
    for (size_t i = 0; i < count; i++) {
        if (open[i] == 0) continue;
        reference_exact(f, r, a[i], b[i]);
        t->by_mpfr++;
        const double want = rounded_once(f, d, r), error = relative_error(fast[i], r);
        if (error > t->fast_error) t->fast_error = error;
        if (!same_value(want, got[i]) && t->wrong++ == 0) {
            t->wrong_a = a[i];
            t->wrong_b = b[i];
            t->wrong_got = got[i];
            t->wrong_want = want;
        }
    }
    mpfr_clear(r);
}

void reference_check(const reference *f, tg_dtype d, const double *a, const double *b,
                     const double *got, size_t count, tally *t)
{
    t->tried += count;
    if (d == TG_DT_f64)
        check_f64(f, a, b, got, count, t);
    else
        check_rounded(f, d, a, b, got, count, t);
}

void tally_add(tally *t, const tally *more)
{
    if (t->wrong == 0 && more->wrong != 0) {
        t->wrong_a = more->wrong_a;
        t->wrong_b = more->wrong_b;
        t->wrong_got = more->wrong_got;
        t->wrong_want = more->wrong_want;
    }
    if (more->ulp > t->ulp) {
        t->ulp = more->ulp;
        t->ulp_a = more->ulp_a;
        t->ulp_b = more->ulp_b;
    }
    t->fast_error = fmax(t->fast_error, more->fast_error);
    t->tried += more->tried;
    t->by_mpfr += more->by_mpfr;
    t->wrong += more->wrong;
}

bool tally_is_clean(const tally *t) { return t->wrong == 0 && t->fast_error < 0x1p-46; }

/* -- operands -- */

/* One f64: of any bits, of middling size, or near 1 or -1. */
static double random_f64(uint64_t *state)
{
    const uint64_t b = random_bits(state), choice = random_bits(state);
    const uint64_t fraction = b & 0x800fffffffffffffu, exponent = 1023 - 30 + (choice >> 8) % 41;
    const double near =
        ldexp(f64_of_bits(fraction | (uint64_t)1023 << 52), -(int)((choice >> 8) % 50));
    switch (choice % 4) {
    case 0: return f64_of_bits(b);
    case 1: return 1 + near;
    case 2: return near - 1;
    default: return f64_of_bits(fraction | exponent << 52);
    }
}

/* A pair of f32: one in four has small integers and halves, where powers are exact or ties; the others any
 * bits, a first operand near 1, a second of middling size. */
static void random_f32_pair(uint64_t *state, double *a, double *b)
{
    const uint64_t x = random_bits(state), y = random_bits(state), z = random_bits(state);
    *a = (double)f32_of_bits((uint32_t)x);
    *b = (double)f32_of_bits((uint32_t)y);
    switch (z & 3) {
    case 0:
        *a = (double)(x >> 32 & (z & 4 ? 0x1fff : 0xff)) * (z & 8 ? 0.25 : 1);
        *b = (double)((int)(y >> 32 & 63) - 24) * 0.5;
        break;
    case 1: *a = (double)f32_of_bits(0x3f000000 + (uint32_t)(x & 0xffffff)); break;
    case 2:
        *b = (double)f32_of_bits((uint32_t)(y & 0x80000000) |
                                 (0x38000000 + (uint32_t)(y & 0xbffffff)));
        break;
    default: break;
    }
}

void reference_random(const reference *f, tg_dtype d, uint64_t k, double *a, double *b)
{
    uint64_t state = k * 0xd1342543de82ef95u + 1;
    if (f->operands == 2 && (d == TG_DT_f32 || (k & 3) == 0)) {
        random_f32_pair(&state, a, b);
        return;
    }
    do *a = random_f64(&state);
    while (!(*a >= f->low && *a <= f->high));
    *b = f->operands == 2 ? random_f64(&state) : *a;
    if (d == TG_DT_f32) *a = (double)(float)*a;
}
