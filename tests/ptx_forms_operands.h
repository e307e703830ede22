/* Operands for forms: special ones and random ones, by number. */
#ifndef TG_TESTS_PTX_FORMS_OPERANDS_H
#define TG_TESTS_PTX_FORMS_OPERANDS_H

#include "base/float_bits.h"
#include "ir/type.h"

static inline uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline uint64_t as_bits(tg_dtype d, double x)
{
    return d == TG_DT_f32 ? bits_of_f32((float)x) : bits_of_f64(x);
}

/* Floats of several kinds in turn: any bits; near multiples of pi/2; integers and halves; near 1; below 4 and below 800;
 * of every exponent from -64 to 127.  Integers of every size. */
static inline uint64_t random_operand(tg_dtype d, uint64_t number)
{
    const uint64_t r = mixed(number * UINT64_C(0x9e3779b97f4a7c15) + 1), kind = r & 7;
    const bool is_32 = tg_dtypes[d].bits == 32;
    const uint64_t bits = mixed(r);
    if (tg_is_int(d)) {
        const uint64_t cut = bits >> (r >> 8 & 63);
        const uint64_t value = r >> 16 & 1 ? cut : 0 - cut;
        return is_32 ? (uint32_t)value : value;
    }
    if (kind == 0 || (kind == 1 && r >> 9 & 1)) return is_32 ? (uint32_t)bits : bits;
    const double unit = (double)(bits >> 11) * 0x1p-53; /* in [0, 1) */
    const double sign = r >> 8 & 1 ? -1.0 : 1.0;
    if (kind == 1)
        return as_bits(d, sign * (double)(bits >> (42 + (r >> 16 & 15))) * 0x1.921fb54442d18p0);
    if (kind == 2) return as_bits(d, sign * (double)(bits % 257) / 2.0);
    if (kind == 3) return as_bits(d, sign * (1.0 + (unit - 0.5) * 0x1p-6));
    if (kind == 4) return as_bits(d, sign * unit * 4.0);
    if (kind == 5) return as_bits(d, sign * unit * 800.0);
    const int exponent = (int)(r >> 16 & 127) - (kind == 6 ? 64 : 0);
    const uint64_t scale = (uint64_t)(1023 + exponent) << 52;
    return as_bits(d, sign * (1.0 + unit) * f64_of_bits(scale));
}

/* Zeros, infinities, NaNs, the least and greatest of every kind, neighbours of 1 and of the places where forms
 * change their way. */
static const double special_floats[] = {
    0.0,
    0x1p-1074,
    0x1p-1022,
    0x0.fffffffffffffp-1022,
    0x1p-1000,
    0x1p-500,
    0x1p-200,
    0x1p-149,
    0x1p-148,
    0x1.8p-149,
    0x1p-126,
    0x0.fffffep-126,
    0x1p-100,
    0x1p-54,
    0x1p-53,
    0x1p-27,
    0x1p-26,
    0x1p-12,
    0.125,
    0.25,
    0.375,
    0.5,
    0x1.6a09e667f3bccp-1,
    0x1.6a09e667f3bcdp-1,
    0.7111,
    0.75,
    0x1.fffffep-1,
    0x1.fffffffffffffp-1,
    1.0,
    0x1.000002p+0,
    0x1.0000000000001p+0,
    1.5,
    2.0,
    2.5,
    3.0,
    4.0,
    5.0,
    6.0,
    7.0,
    10.0,
    24.0,
    60.0,
    87.0,
    88.75,
    89.0,
    103.5,
    104.0,
    127.0,
    128.0,
    149.0,
    150.0,
    160.0,
    200.0,
    709.5,
    710.0,
    710.6,
    746.0,
    1000.0,
    1022.0,
    1024.0,
    1025.0,
    1074.0,
    1076.0,
    0x1p22,
    0x1.fffffep21,
    0x1.fffffffffffffp21,
    0x1p23,
    0x1p24,
    0x1p31,
    0x1p32,
    0x1p52,
    0x1.8p52,
    0x1p53,
    0x1p60,
    0x1.0000000000001p60,
    0x1p63,
    0x1p64,
    0x1p100,
    0x1p127,
    0x1.fffffep127,
    0x1.ffffffp127,
    0x1p128,
    0x1p400,
    0x1p500,
    0x1p960,
    0x1p1000,
    0x1p1023,
    0x1.fffffffffffffp1023,
    0x1.921fb54442d18p0,
    0x1.921fb54442d18p1,
    0x1.921fb6p0,
    0x1.921fb54442d18p31,
    0x1.6ac5b262ca1ffp849 /* nearest of all f64 to a multiple of pi/2 */,
    (double)__builtin_inff()};
enum {
    SPECIAL_FLOATS = sizeof special_floats / sizeof *special_floats,
    SPECIAL_NANS = 2,
    SPECIAL_OPERANDS = 2 * SPECIAL_FLOATS + 2 * SPECIAL_NANS
};

static const int64_t special_integers[] = {0,
                                           1,
                                           2,
                                           3,
                                           5,
                                           127,
                                           128,
                                           255,
                                           1023,
                                           1074,
                                           1075,
                                           65535,
                                           1 << 24,
                                           INT32_MAX - 1,
                                           INT32_MAX,
                                           (int64_t)INT32_MAX + 1,
                                           UINT32_MAX,
                                           (int64_t)UINT32_MAX + 1,
                                           (INT64_C(1) << 53) - 1,
                                           INT64_C(1) << 53,
                                           (INT64_C(1) << 53) + 1,
                                           INT64_MAX - 1,
                                           INT64_MAX,
                                           INT64_MIN};
enum { SPECIAL_INTEGERS = 2 * sizeof special_integers / sizeof *special_integers };

static inline uint64_t special_operand(tg_dtype d, int number)
{
    const bool is_32 = tg_dtypes[d].bits == 32;
    if (tg_is_int(d)) {
        const uint64_t value = (uint64_t)special_integers[number / 2 % (SPECIAL_INTEGERS / 2)];
        const uint64_t signed_value = number & 1 ? 0 - value : value;
        return is_32 ? (uint32_t)signed_value : signed_value;
    }
    const uint64_t sign = number & 1 ? UINT64_C(1) << (is_32 ? 31 : 63) : 0;
    const int k = number / 2;
    if (k < SPECIAL_FLOATS) return as_bits(d, special_floats[k]) | sign;
    const uint64_t quiet = is_32 ? 0x7fc0dead : UINT64_C(0x7ff8dead00000000);
    const uint64_t signalling = is_32 ? 0x7f800001 : UINT64_C(0x7ff0000000000001);
    return (k == SPECIAL_FLOATS ? quiet : signalling) | sign;
}

static inline int special_count(tg_dtype d)
{
    return tg_is_int(d) ? SPECIAL_INTEGERS : SPECIAL_OPERANDS;
}

#endif
