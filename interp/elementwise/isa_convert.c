/* The op `convert` between carriers, rounded once. */
#include "interp/elementwise/elementwise_impl.h"

/* -- to an int or bool -- */

/* Truncated and saturated to [LEAST, GREATEST], NaN as 0.  BELOW is the first float above the
 * range, exact in F like LEAST; WIDE is a type to which C converts with one instruction. */
#define LANE_FROM_FLOAT(name, R, F, WIDE, LEAST, GREATEST, BELOW)                                  \
    static inline R name(F a)                                                                      \
    {                                                                                              \
        const R inside = (R)(WIDE)(((a >= (F)(LEAST)) & (a < (F)(BELOW))) ? a : 0);                \
        const R above = a >= (F)(BELOW) ? GREATEST : inside;                                       \
        return a < (F)(LEAST) ? (R)(LEAST) : above;                                                \
    }                                                                                              \
    LANES_1(lanes_##name, R, F, name)

#define FROM_FLOAT(F, T)                                                                           \
    LANE_FROM_FLOAT(F##_to_i2, int8_t, T, int32_t, -2, 1, 2)                                       \
    LANE_FROM_FLOAT(F##_to_u2, uint8_t, T, int32_t, 0, 3, 4)                                       \
    LANE_FROM_FLOAT(F##_to_i4, int8_t, T, int32_t, -8, 7, 8)                                       \
    LANE_FROM_FLOAT(F##_to_u4, uint8_t, T, int32_t, 0, 15, 16)                                     \
    LANE_FROM_FLOAT(F##_to_i8, int8_t, T, int32_t, INT8_MIN, INT8_MAX, 0x1p7f)                     \
    LANE_FROM_FLOAT(F##_to_u8, uint8_t, T, int32_t, 0, UINT8_MAX, 0x1p8f)                          \
    LANE_FROM_FLOAT(F##_to_i16, int16_t, T, int32_t, INT16_MIN, INT16_MAX, 0x1p15f)                \
    LANE_FROM_FLOAT(F##_to_u16, uint16_t, T, int32_t, 0, UINT16_MAX, 0x1p16f)                      \
    LANE_FROM_FLOAT(F##_to_i32, int32_t, T, int32_t, INT32_MIN, INT32_MAX, 0x1p31f)                \
    LANE_FROM_FLOAT(F##_to_u32, uint32_t, T, uint32_t, 0, UINT32_MAX, 0x1p32f)                     \
    LANE_FROM_FLOAT(F##_to_i64, int64_t, T, int64_t, INT64_MIN, INT64_MAX, 0x1p63f)                \
    LANE_FROM_FLOAT(F##_to_u64, uint64_t, T, uint64_t, 0, UINT64_MAX, 0x1p64f)                     \
    static inline uint8_t F##_to_b8(T a) { return a != 0; }                                        \
    LANES_1(lanes_##F##_to_b8, uint8_t, T, F##_to_b8)

FROM_FLOAT(f32, float)
FROM_FLOAT(f64, double)

/* From an int or bool to an int of W bits: sign- or zero-extended, depending on the source, or
 * truncated. */
#define TO_INT(FROM, T, W, R)                                                                      \
    static inline R FROM##_to_##W(T a) { return (R)a; }                                            \
    LANES_1(lanes_##FROM##_to_##W, R, T, FROM##_to_##W)

/* To f32 and f64 the C conversion rounds to nearest even, once. */
#define FROM_INT(FROM, T)                                                                          \
    TO_INT(FROM, T, 8, uint8_t)                                                                    \
    TO_INT(FROM, T, 16, uint16_t)                                                                  \
    TO_INT(FROM, T, 32, uint32_t)                                                                  \
    TO_INT(FROM, T, 64, uint64_t)                                                                  \
    TO_INT(FROM, T, f32, float)                                                                    \
    TO_INT(FROM, T, f64, double)                                                                   \
    static inline uint8_t FROM##_to_b8(T a) { return a != 0; }                                     \
    LANES_1(lanes_##FROM##_to_b8, uint8_t, T, FROM##_to_b8)

FROM_INT(i8, int8_t)
FROM_INT(i16, int16_t)
FROM_INT(i32, int32_t)
FROM_INT(i64, int64_t)
FROM_INT(u8, uint8_t)
FROM_INT(u16, uint16_t)
FROM_INT(u32, uint32_t)
FROM_INT(u64, uint64_t)

/* -- between floats -- */

static inline float f32_to_f32(float a) { return a; }
static inline double f32_to_f64(float a) { return (double)a; }
static inline float f64_to_f32(double a) { return (float)a; }
static inline double f64_to_f64(double a) { return a; }
LANES_1(lanes_f32_to_f32, float, float, f32_to_f32)
LANES_1(lanes_f32_to_f64, double, float, f32_to_f64)
LANES_1(lanes_f64_to_f32, float, double, f64_to_f32)
LANES_1(lanes_f64_to_f64, double, double, f64_to_f64)

/* -- to f32 by round-to-odd -- */

static inline float f64_to_f32_odd(double a) { return lanes_f64_as_odd_f32(a); }

/* From 2^53 on, the last bits (which no narrow format needs) are merged into one, so that the
 * conversion to f64 is exact. */
static inline float u64_to_f32_odd(uint64_t a)
{
    const uint64_t cut = (a & ~(uint64_t)0x7ff) | (uint64_t)((a & 0x7ff) != 0) << 11;
    return f64_to_f32_odd((double)(a >> 53 != 0 ? cut : a));
}

static inline float i64_to_f32_odd(int64_t a)
{
    const uint64_t negative = (uint64_t)(a < 0);
    const float size = u64_to_f32_odd(((uint64_t)a ^ (0 - negative)) + negative);
    return negative ? -size : size;
}

static inline float i32_to_f32_odd(int32_t a) { return f64_to_f32_odd((double)a); }
static inline float u32_to_f32_odd(uint32_t a) { return f64_to_f32_odd((double)a); }
LANES_1(lanes_f64_to_f32_odd, float, double, f64_to_f32_odd)
LANES_1(lanes_i32_to_f32_odd, float, int32_t, i32_to_f32_odd)
LANES_1(lanes_i64_to_f32_odd, float, int64_t, i64_to_f32_odd)
LANES_1(lanes_u32_to_f32_odd, float, uint32_t, u32_to_f32_odd)
LANES_1(lanes_u64_to_f32_odd, float, uint64_t, u64_to_f32_odd)

/* -- the tables -- */

#define TO_FLOATS(FROM) [TG_C_f32] = lanes_##FROM##_to_f32, [TG_C_f64] = lanes_##FROM##_to_f64
#define INT_ROW(FROM)                                                                              \
    {                                                                                              \
        [TG_C_b8] = lanes_##FROM##_to_b8,                                                          \
        TO_FLOATS(FROM), [TG_C_i8] = lanes_##FROM##_to_8, [TG_C_u8] = lanes_##FROM##_to_8,         \
        [TG_C_i16] = lanes_##FROM##_to_16, [TG_C_u16] = lanes_##FROM##_to_16,                      \
        [TG_C_i32] = lanes_##FROM##_to_32, [TG_C_u32] = lanes_##FROM##_to_32,                      \
        [TG_C_i64] = lanes_##FROM##_to_64, [TG_C_u64] = lanes_##FROM##_to_64                       \
    }
#define FLOAT_ROW(FROM)                                                                            \
    {                                                                                              \
        [TG_C_b8] = lanes_##FROM##_to_b8,                                                          \
        TO_FLOATS(FROM), [TG_C_i8] = lanes_##FROM##_to_i8, [TG_C_u8] = lanes_##FROM##_to_u8,       \
        [TG_C_i16] = lanes_##FROM##_to_i16, [TG_C_u16] = lanes_##FROM##_to_u16,                    \
        [TG_C_i32] = lanes_##FROM##_to_i32, [TG_C_u32] = lanes_##FROM##_to_u32,                    \
        [TG_C_i64] = lanes_##FROM##_to_i64, [TG_C_u64] = lanes_##FROM##_to_u64                     \
    }

const tg_by_carrier TG_ISA_NAME(tg_elementwise_carriers)[TG_C_COUNT] = {
    [TG_C_b8] = INT_ROW(u8),     [TG_C_i8] = INT_ROW(i8),     [TG_C_i16] = INT_ROW(i16),
    [TG_C_i32] = INT_ROW(i32),   [TG_C_i64] = INT_ROW(i64),   [TG_C_u8] = INT_ROW(u8),
    [TG_C_u16] = INT_ROW(u16),   [TG_C_u32] = INT_ROW(u32),   [TG_C_u64] = INT_ROW(u64),
    [TG_C_f32] = FLOAT_ROW(f32), [TG_C_f64] = FLOAT_ROW(f64),
};

tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_carriers_odd)[TG_C_COUNT] = {
    [TG_C_f64] = lanes_f64_to_f32_odd, [TG_C_i32] = lanes_i32_to_f32_odd,
    [TG_C_i64] = lanes_i64_to_f32_odd, [TG_C_u32] = lanes_u32_to_f32_odd,
    [TG_C_u64] = lanes_u64_to_f32_odd,
};

const tg_by_carrier TG_ISA_NAME(tg_elementwise_saturate)[TG_DT_COUNT] = {
#define SATURATE_FEW(id) [TG_DT_##id] = {TO_FEW(id)},
#define TO_FEW(id) [TG_C_f32] = lanes_f32_to_##id, [TG_C_f64] = lanes_f64_to_##id
#define SATURATE_SAME(id)
#define SATURATE_HALF(id)
#define SATURATE_OWN(id)
#define SATURATE_CODE(id)
#define TG_DTYPE(id, kind, bits, bytes, carrier, exp, man, bias, special, numpy, st, lanes, ...)   \
    SATURATE_##lanes(id)
#include "ir/dtypes.def"
};
