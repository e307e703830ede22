/* What tools/gen_ptx_forms.py expands: the lanes' own sources, and as functions of one lane what those say by
 * macros or loops.  Read by that tool only; the library does not compile it. */
#include "interp/elementwise/isa_elementary.c"

/* tg_*_any with the two ways to an angle joined before what they have in common, so that it is expanded once. */
static inline double tg_sin_joined(double x)
{
    const double r = tg_sin_of_angle(tg_angle_reduce_any(x), 0);
    return tg_abs(x) < 0x1p-27 ? x : r;
}

static inline double tg_cos_joined(double x) { return tg_sin_of_angle(tg_angle_reduce_any(x), 1); }

static inline double tg_tan_joined(double x)
{
    const double r = tg_tan_of_angle(tg_angle_reduce_any(x));
    return tg_abs(x) < 0x1p-27 ? x : r;
}

#define ENTRY_PAIR(name, T, B, f)                                                                  \
    static inline T name(T a, B b) { return f(a, b); }

ENTRY_PAIR(pow_one_f32, float, float, POW_F32)
ENTRY_PAIR(pow_one_f32_odd, float, float, POW_F32_ODD)
ENTRY_PAIR(pow_one_f64, double, double, POW_F64)
ENTRY_PAIR(pow_int_one_f32, float, int32_t, POW_F32)
ENTRY_PAIR(pow_int_one_f32_odd, float, int32_t, POW_F32_ODD)
ENTRY_PAIR(pow_int_one_f64, double, int32_t, POW_F64)
ENTRY_PAIR(atan2_one_f32, float, float, ATAN2_F32)
ENTRY_PAIR(atan2_one_f32_odd, float, float, ATAN2_F32_ODD)
ENTRY_PAIR(atan2_one_f64, double, double, ATAN2_F64)

/* The loop of POW_F64_WIDE in isa_pow.c. */
#define ENTRY_POW_F64_WIDE(FROM, T)                                                                \
    static inline double pow_##FROM##_one_f64(double base, T e)                                    \
    {                                                                                              \
        const uint64_t bits = bits_of_f64(base);                                                   \
        const uint64_t sign = e & 1 ? bits & ~(uint64_t)INT64_MAX : 0;                             \
        const double size = POW_F64(f64_of_bits(bits & INT64_MAX), (double)e);                     \
        return f64_of_bits(bits_of_f64(size) ^ sign);                                              \
    }

ENTRY_POW_F64_WIDE(u32, uint32_t)
ENTRY_POW_F64_WIDE(i64, int64_t)
ENTRY_POW_F64_WIDE(u64, uint64_t)

#undef POW_F32
#include "interp/elementwise/isa_pow.c" /* far_* */
