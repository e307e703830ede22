/* pow with an integer exponent of any dtype: converts the exponent to the i32 or f64 that
 * elementary.h expects. */
#include "interp/elementwise/elementwise_impl.h"

static const tg_elementary *const elementary = &TG_ISA_NAME(tg_elementary);

static const void *at_lane(const void *src, bool is_splat, size_t lane, size_t bytes)
{
    return (const char *)src + (is_splat ? 0 : lane * bytes);
}

/* Runs `pow` strip by strip, with exponents converted to i32 by `narrow`. */
static void pow_strips(LANES_ARGS, size_t base_bytes, size_t exponent_bytes,
                       tg_elementwise_fn *narrow, tg_elementwise_fn *pow)
{
    int32_t exponent[LANES_STRIP];
    const bool base_splat = splat & 1, exponent_splat = splat >> 1 & 1;
    for (size_t at = 0; at < count; at += LANES_STRIP) {
        const size_t n = count - at < LANES_STRIP ? count - at : LANES_STRIP;
        const void *const wide = at_lane(src[1], exponent_splat, at, exponent_bytes);
        narrow(exponent, &wide, 0, exponent_splat ? 1 : n, 0);
        const void *const operands[2] = {at_lane(src[0], base_splat, at, base_bytes), exponent};
        pow((char *)dst + at * base_bytes, operands, splat, n, imm);
    }
}

/* An exponent beyond i32 becomes the farthest one of the same parity: such a power of an f32
 * overflows or underflows in any case, or the base is 0, 1, -1, inf or NaN, for which only the
 * parity matters. */
#define LANE_FAR(FROM, T, LOW)                                                                     \
    static inline int32_t far_##FROM(T e)                                                          \
    {                                                                                              \
        const int32_t odd = (int32_t)(e & 1);                                                      \
        const int32_t high = (INT32_MAX - 1) | odd, low = INT32_MIN | odd;                         \
        const int32_t below = e > (T)INT32_MAX ? high : (int32_t)e;                                \
        return LOW ? low : below;                                                                  \
    }                                                                                              \
    LANES_1(lanes_far_##FROM, int32_t, T, far_##FROM)

LANE_FAR(u32, uint32_t, 0)
LANE_FAR(i64, int64_t, e < INT32_MIN)
LANE_FAR(u64, uint64_t, 0)

#define LANE_TO_I32(FROM, T)                                                                       \
    static inline int32_t near_##FROM(T e) { return (int32_t)e; }                                  \
    LANES_1(lanes_near_##FROM, int32_t, T, near_##FROM)

LANE_TO_I32(i8, int8_t)
LANE_TO_I32(i16, int16_t)
LANE_TO_I32(i32, int32_t)
LANE_TO_I32(u8, uint8_t)
LANE_TO_I32(u16, uint16_t)

/* f64 and an exponent beyond i32: |base| to the exponent in f64 (rounded from 2^53 on), then the
 * sign, which depends on the parity of the whole exponent. */
#define POW_F64_WIDE(FROM, T)                                                                      \
    static void lanes_pow_f64_##FROM(LANES_ARGS)                                                   \
    {                                                                                              \
        double size[LANES_STRIP], exponent[LANES_STRIP];                                           \
        uint64_t sign[LANES_STRIP];                                                                \
        const double *const base = src[0];                                                         \
        const T *const whole = src[1];                                                             \
        const void *const operands[2] = {size, exponent};                                          \
        double *const r = dst;                                                                     \
        for (size_t at = 0; at < count; at += LANES_STRIP) {                                       \
            const size_t n = count - at < LANES_STRIP ? count - at : LANES_STRIP;                  \
            for (size_t i = 0; i < n; i++) {                                                       \
                const uint64_t bits = bits_of_f64(base[splat & 1 ? 0 : at + i]);                   \
                const T e = whole[splat & 2 ? 0 : at + i];                                         \
                size[i] = f64_of_bits(bits & INT64_MAX);                                           \
                exponent[i] = (double)e;                                                           \
                sign[i] = e & 1 ? bits & ~(uint64_t)INT64_MAX : 0;                                 \
            }                                                                                      \
            elementary->f64[TG_OP_pow](size, operands, 0, n, imm);                                 \
            for (size_t i = 0; i < n; i++)                                                         \
                r[at + i] = f64_of_bits(bits_of_f64(size[i]) ^ sign[i]);                           \
        }                                                                                          \
    }

POW_F64_WIDE(u32, uint32_t)
POW_F64_WIDE(i64, int64_t)
POW_F64_WIDE(u64, uint64_t)

#define POW(name, BASE, FROM, T, NARROW, entry)                                                    \
    static void name(LANES_ARGS)                                                                   \
    {                                                                                              \
        pow_strips(dst, src, splat, count, imm, sizeof(BASE), sizeof(T), NARROW,                   \
                   elementary->entry);                                                             \
    }
#define POW_F32(FROM, T, NARROW)                                                                   \
    POW(lanes_pow_f32_##FROM, float, FROM, T, NARROW, f32_pow_int)                                 \
    POW(lanes_pow_odd_##FROM, float, FROM, T, NARROW, f32_odd_pow_int)
#define POW_ALL(FROM, T, NARROW)                                                                   \
    POW_F32(FROM, T, NARROW)                                                                       \
    POW(lanes_pow_f64_##FROM, double, FROM, T, NARROW, f64_pow_int)

POW_ALL(i8, int8_t, lanes_near_i8)
POW_ALL(i16, int16_t, lanes_near_i16)
POW_ALL(i32, int32_t, lanes_near_i32)
POW_ALL(u8, uint8_t, lanes_near_u8)
POW_ALL(u16, uint16_t, lanes_near_u16)
POW_F32(u32, uint32_t, lanes_far_u32)
POW_F32(i64, int64_t, lanes_far_i64)
POW_F32(u64, uint64_t, lanes_far_u64)

/* By the dtype of the exponent. */
#define IF_BOOL(...)
#define IF_SINT(...) __VA_ARGS__
#define IF_UINT(...) __VA_ARGS__
#define IF_FLOAT(...)

tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_pow_int)[TG_DT_COUNT] = {
#define TG_DTYPE(id, kind, bits, bytes, carrier, ...)                                              \
    IF_##kind([TG_DT_##id] = lanes_pow_f64_##carrier, )
#include "ir/dtypes.def"
};

tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_pow_int_f32)[TG_DT_COUNT] = {
#define TG_DTYPE(id, kind, bits, bytes, carrier, ...)                                              \
    IF_##kind([TG_DT_##id] = lanes_pow_f32_##carrier, )
#include "ir/dtypes.def"
};

tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_pow_int_odd)[TG_DT_COUNT] = {
#define TG_DTYPE(id, kind, bits, bytes, carrier, ...)                                              \
    IF_##kind([TG_DT_##id] = lanes_pow_odd_##carrier, )
#include "ir/dtypes.def"
};
