/* What the lanes tests share: running an op, and formats of floats spelled out the slow way. */
#ifndef TG_TESTS_LANES_ORACLE_H
#define TG_TESTS_LANES_ORACLE_H

#include <math.h>
#include <string.h>

#include "base/float_bits.h"
#include "interp/elementwise/elementwise.h"

static const char *const lanes_isas[] = {"baseline", "avx2", "avx512"};
enum { LANES_ISAS = 3 };

#define ORACLE_INF ((double)INFINITY)
#define ORACLE_NAN ((double)NAN)

/* compute and finish; false if there is no such op. */
static inline bool lanes_run(tg_elementwise_call op, void *dst, const void *const *src,
                             unsigned splat, size_t count, int64_t imm)
{
    if (op.compute == NULL) return false;
    op.compute(dst, src, splat, count, imm);
    const void *const self[1] = {dst};
    if (op.finish != NULL) op.finish(dst, self, 0, count, 0);
    return true;
}

static inline bool is_narrow(tg_dtype d) { return tg_is_float(d) && tg_dtypes[d].bits < 32; }

static inline uint32_t magnitude_codes(tg_dtype d)
{
    return 1u << (tg_dtypes[d].bits - (tg_dtypes[d].special == TG_SPECIAL_E8M0 ? 0 : 1));
}

/* Value of a magnitude code by the formula, as if no code were special. */
static inline double plain_value(tg_dtype d, uint32_t code)
{
    const tg_dtype_info *const f = &tg_dtypes[d];
    const int exponent = (int)(code >> f->man_bits);
    const double fraction = ldexp(code & ((1u << f->man_bits) - 1), -f->man_bits);
    if (f->special == TG_SPECIAL_E8M0) return ldexp(1, (int)code - f->bias);
    return exponent == 0 ? ldexp(fraction, 1 - f->bias) : ldexp(1 + fraction, exponent - f->bias);
}

/* Greatest magnitude code that is finite. */
static inline uint32_t greatest_finite(tg_dtype d)
{
    const uint32_t all = magnitude_codes(d) - 1;
    if (tg_dtypes[d].special == TG_SPECIAL_IEEE) return all - (1u << tg_dtypes[d].man_bits);
    const bool uses_all =
        tg_dtypes[d].special == TG_SPECIAL_FNUZ || tg_dtypes[d].special == TG_SPECIAL_FINITE;
    return uses_all ? all : all - 1;
}

static inline double code_value(tg_dtype d, uint32_t code)
{
    const tg_dtype_info *const f = &tg_dtypes[d];
    const uint32_t size = code & (magnitude_codes(d) - 1);
    const double sign = code == size ? 1 : -1;
    if (f->special == TG_SPECIAL_FNUZ && code == magnitude_codes(d)) return ORACLE_NAN;
    if (size <= greatest_finite(d)) return sign * plain_value(d, size);
    return f->special == TG_SPECIAL_IEEE && size == greatest_finite(d) + 1 ? sign * ORACLE_INF
                                                                           : ORACLE_NAN;
}

/* The value of the format nearest to v, ties to the even code (f8e8m0fnu: upward). */
static inline double nearest_value(tg_dtype d, double v)
{
    const tg_float_special special = tg_dtypes[d].special;
    const double size = fabs(v), greatest = plain_value(d, greatest_finite(d));
    const double beyond = special == TG_SPECIAL_IEEE ? ORACLE_INF : ORACLE_NAN;
    const double overflow = special == TG_SPECIAL_FINITE ? greatest : beyond;
    uint32_t low = 0,
             high = greatest_finite(d) + 1; /* the first code too great has a plain value too */
    if (isnan(v) && special == TG_SPECIAL_FINITE) return -0.0;
    if (isnan(v) || (special == TG_SPECIAL_E8M0 && v <= 0)) return ORACLE_NAN;
    if (size >= plain_value(d, high)) return copysign(overflow, v);
    if (size < plain_value(d, 0)) return plain_value(d, 0);
    while (high - low > 1) {
        const uint32_t mid = (low + high) / 2;
        if (plain_value(d, mid) <= size)
            low = mid;
        else
            high = mid;
    }
    const double down = size - plain_value(d, low), up = plain_value(d, high) - size;
    const bool tie_up = special == TG_SPECIAL_E8M0 || (low & 1) == 1;
    const uint32_t code = up < down || (up == down && tie_up) ? high : low;
    if (code > greatest_finite(d)) return copysign(overflow, v);
    if (code == 0 && special == TG_SPECIAL_FNUZ) return 0;
    return copysign(plain_value(d, code), v);
}

/* Same bits, or both NaN. */
static inline bool same_value(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* SplitMix64. */
static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Fills `count` values of `d`, in its carrier: random codes, or for f32 and f64 random bits with many near 1.
 * 8 bytes a value are enough for `out`. */
static inline void random_values(tg_dtype d, uint64_t seed, size_t count, void *out)
{
    for (size_t k = 0; k < count; k++) {
        uint64_t code = random_bits(&seed);
        const void *const src[1] = {&code};
        void *const at = (char *)out + k * tg_carrier_bytes[tg_carrier_of(d)];
        if (d == TG_DT_bool) code &= 1;
        if (d == TG_DT_f64 && k % 3 == 0)
            code = (code & 0x800fffffffffffffu) | (uint64_t)(1017 + k % 13) << 52;
        if (d == TG_DT_f32 && k % 3 == 0) code = (code & 0x807fffffu) | (121 + k % 13) << 23;
        if (tg_is_native(d))
            memcpy(at, &code, tg_dtypes[d].bytes);
        else
            tg_elementwise_load(tg_elementwise_get("baseline"), d)(at, src, 0, 1, 0);
    }
}

static inline bool is_elementwise(tg_opcode op) { return op <= TG_OP_clamp && op != TG_OP_convert; }

/* An `imm` that is of use, see tg_elementwise_fn. */
static inline int64_t sample_imm(tg_opcode op)
{
    switch (op) {
    case TG_OP_integer_pow: return 5;
    case TG_OP_select: return 2;
    case TG_OP_round: return 1;
    default: return 0;
    }
}

#endif
