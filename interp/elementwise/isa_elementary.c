/* The loops of the elementary functions, compiled once per instruction set: f32 elements are
 * widened to f64, computed by the form, and rounded once. */
#include "interp/elementwise/elementary.h"

#include "interp/elementwise/elementary_atan.h"
#include "interp/elementwise/elementary_erf.h"
#include "interp/elementwise/elementary_exceptions.h"
#include "interp/elementwise/elementary_exp.h"
#include "interp/elementwise/elementary_log.h"
#include "interp/elementwise/elementary_pow.h"
#include "interp/elementwise/elementary_root.h"
#include "interp/elementwise/elementary_trig.h"
#include "interp/elementwise/elementwise_impl.h"

/* An f64 that is exact in f32: x rounded to odd; finite values beyond f32's greatest one become
 * that. */
TG_FORM double odd_as_f32(double x)
{
    const double a = tg_abs(x);
    const uint64_t bits = tg_bits(a), kept = bits & ~UINT64_C(0x1fffffff);
    const double normal = tg_of_bits(kept | (kept != bits ? UINT64_C(0x20000000) : 0));
    const double bounded = tg_select((a >= 0x1p128) & (a < TG_INF), 0x1.fffffep127, normal);
    /* f32 subnormals are multiples of 2^-149: round down to one, then set its last bit */
    const double scaled = a * 0x1p149, nearest = (scaled + 0x1p52) - 0x1p52;
    const double floor = nearest > scaled ? nearest - 1.0 : nearest;
    const double odd = tg_of_bits(tg_bits(floor + 0x1p52) | (floor != scaled ? 1 : 0)) - 0x1p52;
    return tg_with_sign(tg_select(a < 0x1p-126, odd * 0x1p-149, bounded), x);
}

/* r, or the only NaN if x or r is a NaN.  By masks: with ?: compilers join the branches of the form
 * that end in a NaN with this one, and then cannot vectorise the loop. */
TG_FORM double nan_like(double x, double r)
{
    const uint64_t keep = 0 - (uint64_t)((x == x) & (r == r));
    return tg_of_bits((tg_bits(r) & keep) | (tg_bits(tg_nan()) & ~keep));
}

TG_FORM float nan_like_f32(float x, float r)
{
    const uint32_t keep = 0 - (uint32_t)((x == x) & (r == r));
    return f32_of_bits((bits_of_f32(r) & keep) | (UINT32_C(0x7fc00000) & ~keep));
}

/* By masks: compilers make a jump table from a chain of ?:. */
TG_FORM uint32_t replaced_where(bool there, uint32_t replacement, uint32_t bits)
{
    const uint32_t mask = 0 - (uint32_t)there;
    return (replacement & mask) | (bits & ~mask);
}

#define EXCEPTION(operand, result) r = replaced_where(bits == (operand), (result), r);

/* The three roundings of one function: id_suffix_f32 and id_suffix_f32_odd of its form `narrow`,
 * id_suffix_f64 of `form`. */
#define ROUNDINGS(id, form, narrow, suffix)                                                        \
    TG_FORM float id##_##suffix##_f32(float x)                                                     \
    {                                                                                              \
        const uint32_t bits = bits_of_f32(x);                                                      \
        uint32_t r = bits_of_f32((float)narrow((double)x));                                        \
        (void)bits;                                                                                \
        TG_EXCEPTIONS_##id(EXCEPTION) return nan_like_f32(x, f32_of_bits(r));                      \
    }                                                                                              \
    TG_FORM float id##_##suffix##_f32_odd(float x)                                                 \
    {                                                                                              \
        return nan_like_f32(x, (float)odd_as_f32(narrow((double)x)));                              \
    }                                                                                              \
    TG_FORM double id##_##suffix##_f64(double x) { return nan_like(x, form(x)); }

#define FUNCTION(id) FUNCTION_OF(id, tg_##id##_form, tg_##id##_form)

/* Functions whose forms take any operand. */
#define FUNCTION_OF(id, form, narrow)                                                              \
    ROUNDINGS(id, form, narrow, one)                                                               \
    LANES_1(id##_f32, float, float, id##_one_f32)                                                  \
    LANES_1(id##_f32_odd, float, float, id##_one_f32_odd)                                          \
    LANES_1(id##_f64, double, double, id##_one_f64)

enum {
    TRIG_BLOCK = 256, /* elements that share the decision whether any of them is large */
    PAIR_STRIP = 256,
};

/* static tg_elementwise_fn name: small(a) for blocks of operands below TG_TRIG_LARGE, else
 * any(a). */
#define TRIG_LANES(name, T, small, any)                                                            \
    static void name(LANES_ARGS)                                                                   \
    {                                                                                              \
        T *const r = dst;                                                                          \
        const T *const a = src[0];                                                                 \
        LANES_UNUSED();                                                                            \
        if (splat & 1) {                                                                           \
            const T all = any(a[0]);                                                               \
            LANES_EACH(i, count) r[i] = all;                                                       \
            return;                                                                                \
        }                                                                                          \
        for (size_t begin = 0; begin < count; begin += TRIG_BLOCK) {                               \
            const size_t left = count - begin, lanes = left < TRIG_BLOCK ? left : TRIG_BLOCK;      \
            const T *const in = a + begin;                                                         \
            T *const out = r + begin;                                                              \
            unsigned large = 0;                                                                    \
            LANES_EACH(i, lanes)                                                                   \
            large |= (in[i] >= (T)TG_TRIG_LARGE) | (in[i] <= (T)-TG_TRIG_LARGE);                   \
            if (large) {                                                                           \
                for (size_t i = 0; i < lanes; i++) out[i] = any(in[i]);                            \
            } else {                                                                               \
                LANES_EACH(i, lanes) out[i] = small(in[i]);                                        \
            }                                                                                      \
        }                                                                                          \
    }

#define TRIG_FUNCTION(id)                                                                          \
    ROUNDINGS(id, tg_##id##_form, tg_##id##_form, one)                                             \
    ROUNDINGS(id, tg_##id##_any, tg_##id##_any, any)                                               \
    TRIG_LANES(id##_f32, float, id##_one_f32, id##_any_f32)                                        \
    TRIG_LANES(id##_f32_odd, float, id##_one_f32_odd, id##_any_f32_odd)                            \
    TRIG_LANES(id##_f64, double, id##_one_f64, id##_any_f64)

/* clang-format off */
#define EACH_FUNCTION(F)                                                                           \
    F(expm1) F(log) F(log2) F(log1p) F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh)        \
    F(asinh) F(acosh) F(atanh) F(erf) F(erf_inv) F(cbrt) F(rsqrt)
/* clang-format on */

#define EACH_TRIG_FUNCTION(F) F(sin) F(cos) F(tan)

EACH_FUNCTION(FUNCTION)
FUNCTION_OF(logistic, tg_logistic_form, tg_logistic_odd)
FUNCTION_OF(exp, tg_exp_form, tg_exp_narrow)
FUNCTION_OF(exp2, tg_exp2_form, tg_exp2_narrow)
EACH_TRIG_FUNCTION(TRIG_FUNCTION)

/* static tg_elementwise_fn name: f of elements of A and B.  A splat operand is first repeated over
 * one strip, so that one vector loop is enough. */
#define LANES_PAIR(name, R, A, B, f)                                                               \
    static void name(LANES_ARGS)                                                                   \
    {                                                                                              \
        R *const r = dst;                                                                          \
        const A *const a = src[0];                                                                 \
        const B *const b = src[1];                                                                 \
        const bool one_a = splat & 1, one_b = splat >> 1 & 1;                                      \
        A all_a[PAIR_STRIP];                                                                       \
        B all_b[PAIR_STRIP];                                                                       \
        LANES_UNUSED();                                                                            \
        if (count == 0) return;                                                                    \
        const size_t strip = count < PAIR_STRIP ? count : PAIR_STRIP;                              \
        for (size_t i = 0; one_a && i < strip; i++) all_a[i] = a[0];                               \
        for (size_t i = 0; one_b && i < strip; i++) all_b[i] = b[0];                               \
        for (size_t begin = 0; begin < count; begin += PAIR_STRIP) {                               \
            const size_t left = count - begin, lanes = left < PAIR_STRIP ? left : PAIR_STRIP;      \
            const A *const in_a = one_a ? all_a : a + begin;                                       \
            const B *const in_b = one_b ? all_b : b + begin;                                       \
            R *const out = r + begin;                                                              \
            LANES_EACH(i, lanes) out[i] = f(in_a[i], in_b[i]);                                     \
        }                                                                                          \
    }

#define PAIR_F32(a, b, form) nan_like_f32(0.0f, (float)form((double)(a), (double)(b)))
#define PAIR_ODD(a, b, form) nan_like_f32(0.0f, (float)odd_as_f32(form((double)(a), (double)(b))))
#define PAIR_F64(a, b, form) nan_like(0.0, form((double)(a), (double)(b)))

#define POW_F32(a, b) PAIR_F32(a, b, tg_pow_odd)
#define POW_F32_ODD(a, b) PAIR_ODD(a, b, tg_pow_odd)
#define POW_F64(a, b) PAIR_F64(a, b, tg_pow_form)
#define ATAN2_F32(a, b) PAIR_F32(a, b, tg_atan2_odd)
#define ATAN2_F32_ODD(a, b) PAIR_ODD(a, b, tg_atan2_odd)
#define ATAN2_F64(a, b) PAIR_F64(a, b, tg_atan2_form)

LANES_PAIR(pow_f32, float, float, float, POW_F32)
LANES_PAIR(pow_f32_odd, float, float, float, POW_F32_ODD)
LANES_PAIR(pow_f64, double, double, double, POW_F64)
LANES_PAIR(pow_int_f32, float, float, int32_t, POW_F32)
LANES_PAIR(pow_int_f32_odd, float, float, int32_t, POW_F32_ODD)
LANES_PAIR(pow_int_f64, double, double, int32_t, POW_F64)
LANES_PAIR(atan2_f32, float, float, float, ATAN2_F32)
LANES_PAIR(atan2_f32_odd, float, float, float, ATAN2_F32_ODD)
LANES_PAIR(atan2_f64, double, double, double, ATAN2_F64)

#define ROW_F32(id) [TG_OP_##id] = id##_f32,
#define ROW_F32_ODD(id) [TG_OP_##id] = id##_f32_odd,
#define ROW_F64(id) [TG_OP_##id] = id##_f64,
#define ROWS(ROW)                                                                                  \
    EACH_FUNCTION(ROW) EACH_TRIG_FUNCTION(ROW) ROW(exp) ROW(exp2) ROW(logistic) ROW(pow) ROW(atan2)

const tg_elementary TG_ISA_NAME(tg_elementary) = {
    .f32 = {ROWS(ROW_F32)},
    .f32_odd = {ROWS(ROW_F32_ODD)},
    .f64 = {ROWS(ROW_F64)},
    .f32_pow_int = pow_int_f32,
    .f32_odd_pow_int = pow_int_f32_odd,
    .f64_pow_int = pow_int_f64,
};
