/* Floats narrower than their carrier f32: rounding a carrier to the format, conversion between
 * memory and carrier, and the ops that depend on the format.  All are branch-free, so that the
 * loops vectorise. */
#include "interp/elementwise/elementwise_impl.h"

#if defined __F16C__
#include <immintrin.h>
#endif

/* Parameters of a format, known at compile time in every use. */
typedef struct narrow {
    int bits, man, bias;
    tg_float_special special;
} narrow;

#define TG_DTYPE(id, kind, bits, bytes, carrier, exp, man, bias, special, ...)                     \
    enum {                                                                                         \
        BITS_##id = bits,                                                                          \
        MAN_##id = man,                                                                            \
        BIAS_##id = bias,                                                                          \
        SPECIAL_##id = TG_SPECIAL_##special                                                        \
    };
#include "ir/dtypes.def"
#define FORMAT(id) ((narrow){BITS_##id, MAN_##id, BIAS_##id, (tg_float_special)SPECIAL_##id})

#define F32_SIGN 0x80000000u
#define F32_INF 0x7f800000u
#define F32_NAN 0x7fc00000u

/* -- facts about a format; `exponent` fields are in f32 bits -- */

LANES_INLINE uint32_t code_mask(narrow f) { return (1u << (f.bits - 1)) - 1; }
LANES_INLINE uint32_t man_mask(narrow f) { return (1u << f.man) - 1; }
LANES_INLINE uint32_t least_exponent(narrow f) { return (uint32_t)(128 - f.bias) << 23; }

/* The code of the greatest finite magnitude. */
LANES_INLINE uint32_t greatest_code(narrow f)
{
    if (f.special == TG_SPECIAL_E8M0) return 254;
    if (f.special == TG_SPECIAL_IEEE) return code_mask(f) - man_mask(f) - 1;
    return f.special == TG_SPECIAL_FN ? code_mask(f) - 1 : code_mask(f);
}

/* The sign bit of a code; 0 if there is none. */
LANES_INLINE uint32_t sign_code(narrow f)
{
    return f.special == TG_SPECIAL_E8M0 ? 0 : code_mask(f) + 1;
}

/* f32 bits of a code that is neither subnormal nor special. */
LANES_INLINE uint32_t spread(uint32_t code, narrow f)
{
    return (code << (23 - f.man)) + ((uint32_t)(127 - f.bias) << 23);
}

/* -- rounding -- */

/* Rounds to nearest even: adds and subtracts a power of two whose last bit is the unit of the
 * format at this exponent.  Above the format's exponents the unit does not matter, as the result is
 * greater than the greatest value in any case.  NaN and inf do not change. */
LANES_INLINE float round_narrow(float x, narrow f)
{
    const uint32_t bits = bits_of_f32(x), sign = bits & F32_SIGN;
    const int32_t least = (int32_t)least_exponent(f);
    const int32_t greatest = (int32_t)(spread(greatest_code(f), f) & F32_INF);
    int32_t exponent = (int32_t)(bits & F32_INF);
    exponent = exponent < least ? least : exponent;
    exponent = exponent > greatest ? greatest : exponent;
    const float unit = f32_of_bits((uint32_t)(exponent + ((23 - f.man) << 23)));
    const float size = (f32_of_bits(bits ^ sign) + unit) - unit;
    const float limit = f32_of_bits(spread(greatest_code(f), f));
    if (f.special == TG_SPECIAL_IEEE)
        return f32_of_bits(sign | bits_of_f32(size > limit ? f32_of_bits(F32_INF) : size));
    if (f.special == TG_SPECIAL_FINITE) {
        const float near = size > limit ? limit : size;
        return x != x ? -0.0f : f32_of_bits(sign | bits_of_f32(near));
    }
    const uint32_t result = sign | bits_of_f32(size <= limit ? size : f32_of_bits(F32_NAN));
    if (f.special == TG_SPECIAL_FNUZ) return f32_of_bits(size == 0 ? 0 : result);
    return f32_of_bits(result);
}

/* bf16 has the exponents of f32, so rounding the bits also works for subnormals and overflow. */
static inline float round_bf16(float x)
{
    const uint32_t bits = bits_of_f32(x);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
    return x != x ? f32_of_bits(bits | 0x00400000u) : f32_of_bits(rounded);
}

/* The nearest power of two, ties upward.  Values that are too small become the least power; those
 * without a nearest one (too large, zero, negative) become NaN.  The least power, 2^-127, is
 * subnormal in f32.  ml_dtypes agrees, except for values between 2^-127 and 1.5 * 2^-127, which it
 * rounds up to 2^-126, away from the nearest. */
static inline float round_f8e8m0fnu(float x)
{
    const uint32_t bits = bits_of_f32(x);
    const uint32_t normal = (bits + 0x00400000u) & F32_INF;
    const uint32_t power = bits < 0x00600000u ? 0x00400000u : normal;
    return x > 0 && power < F32_INF ? f32_of_bits(power) : f32_of_bits(F32_NAN);
}

/* -- codes -- */

LANES_INLINE float decode(uint32_t code, narrow f)
{
    const uint32_t sign = code >> (f.bits - 1) << 31, /* the upper bits of a byte are shifted out */
        size = code & code_mask(f);
    const uint32_t special = size << (23 - f.man) | F32_INF, least = least_exponent(f);
    const float subnormal = f32_of_bits(least + (size << (23 - f.man))) - f32_of_bits(least);
    uint32_t bits = size <= man_mask(f) ? bits_of_f32(subnormal) : spread(size, f);
    if (f.special == TG_SPECIAL_IEEE) {
        const uint32_t quiet = (size & man_mask(f)) != 0 ? F32_NAN : 0;
        bits = size > greatest_code(f) ? special | quiet : bits;
    } else if (f.special == TG_SPECIAL_FN) {
        bits = size > greatest_code(f) ? F32_NAN : bits;
    } else if (f.special == TG_SPECIAL_FNUZ) {
        bits = code == code_mask(f) + 1 ? F32_NAN : bits;
    }
    return f32_of_bits(sign | bits);
}

/* The code of a value that the format has; the upper payload bits of a NaN are kept if there is
 * room. */
LANES_INLINE uint32_t encode(float x, narrow f)
{
    const uint32_t bits = bits_of_f32(x), sign = bits >> 31 << (f.bits - 1),
                   size = bits & ~F32_SIGN;
    const uint32_t shifted = size >> (23 - f.man), all_ones = code_mask(f);
    const float unit = f32_of_bits(least_exponent(f) + ((uint32_t)(23 - f.man) << 23));
    const uint32_t subnormal = bits_of_f32(f32_of_bits(size) + unit) - bits_of_f32(unit);
    const uint32_t normal = shifted - ((uint32_t)(127 - f.bias) << f.man);
    const uint32_t finite = size < least_exponent(f) ? subnormal : normal;
    if (f.special == TG_SPECIAL_FINITE) return sign | finite;
    if (f.special == TG_SPECIAL_FN) return sign | (size > F32_INF ? all_ones : finite);
    if (f.special == TG_SPECIAL_FNUZ) return size > F32_INF ? all_ones + 1 : sign | finite;
    const uint32_t inf = all_ones - man_mask(f), quiet = size > F32_INF ? 1u << (f.man - 1) : 0;
    return sign | (size < F32_INF ? finite : inf | quiet | (shifted & man_mask(f)));
}

static inline float decode_bf16(uint32_t code)
{
    const uint32_t bits = code << 16;
    return f32_of_bits((bits & ~F32_SIGN) > F32_INF ? bits | 0x00400000u : bits);
}

static inline uint32_t encode_bf16(float x)
{
    const uint32_t bits = bits_of_f32(x);
    return (x != x ? bits | 0x00400000u : bits) >> 16;
}

static inline float decode_f8e8m0fnu(uint32_t code)
{
    const uint32_t power = code == 0 ? 0x00400000u : code << 23;
    return f32_of_bits(code == 255 ? F32_NAN : power);
}

static inline uint32_t encode_f8e8m0fnu(float x) { return x != x ? 255 : bits_of_f32(x) >> 23; }

/* -- nextafter: a step in the code -- */

/* The code after `code` (of a, which is not b) towards b: a magnitude grows if the step leads away
 * from zero; from zero the next one is the least, with the sign of b.  Both are values of the
 * format, so none is skipped. */
LANES_INLINE uint32_t step_code(uint32_t code, float a, float b, narrow f)
{
    const uint32_t sign = code_mask(f) + 1, outward = (b > a) == (a > 0);
    const uint32_t next = outward ? code + 1 : code - 1;
    const uint32_t nonzero = f.special == TG_SPECIAL_FNUZ && next == sign ? 0 : next;
    return a == 0 ? (b < 0 ? sign | 1 : 1) : nonzero;
}

/* -- reduce_precision: on the code, as for f32 and f64 on their bits (isa_float.c) -- */

typedef struct reduced {
    uint32_t code; /* of the magnitude */
    bool is_zero, is_inf;
} reduced;

LANES_INLINE reduced reduce_code(uint32_t size, narrow f, int64_t imm)
{
    const int kept = (int)(imm & 0xff) < f.man ? (int)(imm & 0xff) : f.man;
    const uint32_t bias = (1u << (imm >> 8) >> 1) - 1, own = (uint32_t)f.bias;
    const uint32_t unit = 1u << (f.man - kept), half = unit >> 1, odd = size >> (f.man - kept) & 1;
    const uint32_t near = half ? (size + half - 1 + odd) & ~(unit - 1) : size;
    const int exponent_bits = f.bits - f.man - (sign_code(f) != 0 ? 1 : 0);
    const bool narrows =
        (imm >> 8) < exponent_bits; /* a bias may be greater than their number says */
    return (reduced){.code = near,
                     .is_zero = narrows && near < (own - bias + 1) << f.man,
                     .is_inf =
                         near >= (narrows ? (own + bias + 1) << f.man : greatest_code(f) + 1)};
}

/* -- per dtype: one-argument names for the loops -- */

#define LANE_SAME(id)
#define LANE_FEW(id)
#define LANE_OWN(id)
#define LANE_HALF(id) LANE_CODE(id)
#define LANE_CODE(id)                                                                              \
    static inline float round_##id(float x) { return round_narrow(x, FORMAT(id)); }                \
    static inline float decode_##id(uint32_t code) { return decode(code, FORMAT(id)); }            \
    static inline uint32_t encode_##id(float x) { return encode(x, FORMAT(id)); }                  \
    LANES_INLINE uint32_t step_##id(float a, float b)                                              \
    {                                                                                              \
        return step_code(encode_##id(a), a, b, FORMAT(id));                                        \
    }

#define TG_DTYPE(id, kind, bits, bytes, carrier, exp, man, bias, special, numpy, st, lanes, ...)   \
    LANE_##lanes(id)
#include "ir/dtypes.def"

LANES_INLINE uint32_t step_bf16(float a, float b)
{
    return step_code(encode_bf16(a), a, b, FORMAT(bf16));
}

LANES_INLINE uint32_t step_f8e8m0fnu(float a, float b)
{
    const uint32_t code = encode_f8e8m0fnu(a);
    return b > a ? code + 1 : code - 1;
}

/* Conversion and rounding; f16 uses instructions of the machine if it has them. */
#define MOVES(id, U)                                                                               \
    static inline U store_##id(float x) { return (U)encode_##id(x); }                              \
    LANES_1(lanes_round_##id, float, float, round_##id)                                            \
    LANES_1(lanes_load_##id, float, U, decode_##id)                                                \
    LANES_1(lanes_store_##id, U, float, store_##id)

#define LOOPS(id)                                                                                  \
    static inline float mul_##id(float a, float b) { return round_##id(a * b); }                   \
    static inline float inverse_##id(float a) { return round_##id(1 / a); }                        \
    static inline float nextafter_##id(float a, float b)                                           \
    {                                                                                              \
        const float next = decode_##id(step_##id(a, b));                                           \
        const float other = a == b ? b : next;                                                     \
        return a != a || b != b ? f32_of_bits(F32_NAN) : other;                                    \
    }                                                                                              \
    LANES_2(lanes_nextafter_##id, float, float, nextafter_##id)                                    \
    LANES_INTEGER_POW(lanes_integer_pow_##id, float, mul_##id, inverse_##id)                       \
    static inline float reduce_##id(float x, int64_t imm)                                          \
    {                                                                                              \
        const uint32_t code = encode_##id(x), sign = code & sign_code(FORMAT(id));                 \
        const reduced r = reduce_code(code ^ sign, FORMAT(id), imm);                               \
        const float inside = r.is_zero ? 0 : decode_##id(r.code);                                  \
        const float size = r.is_inf ? f32_of_bits(F32_INF) : inside;                               \
        return x != x ? x : sign ? -size : size;                                                   \
    }                                                                                              \
    static void lanes_reduce_precision_##id(LANES_ARGS)                                            \
    {                                                                                              \
        float *const r = dst;                                                                      \
        const float *const a = src[0];                                                             \
        for (size_t i = 0; i < count; i++) r[i] = reduce_##id(a[splat & 1 ? 0 : i], imm);          \
    }

#if defined __F16C__
/* Vectors first, then the definition for the rest.  The instructions differ from it only in the
 * payload of a rounded NaN, which `whole` corrects. */
#define F16_LANES(name, R, T, whole, one)                                                          \
    static void name(LANES_ARGS)                                                                   \
    {                                                                                              \
        R *const r = dst;                                                                          \
        const T *const a = src[0];                                                                 \
        size_t i = 0;                                                                              \
        LANES_UNUSED();                                                                            \
        if (splat & 1) {                                                                           \
            const R all = (R)one(a[0]);                                                            \
            for (; i < count; i++) r[i] = all;                                                     \
            return;                                                                                \
        }                                                                                          \
        for (; i + F16_VECTOR <= count; i += F16_VECTOR) whole(r + i, a + i);                      \
        for (; i < count; i++) r[i] = (R)one(a[i]);                                                \
    }

/* Names of their own: the tool that counts lines confuses functions of the same name in several
 * objects. */
#define lanes_load_f16 lanes_load_f16_vectors
#define lanes_store_f16 lanes_store_f16_vectors
#define lanes_round_f16 lanes_round_f16_vectors

enum { F16_VECTOR = 8 };

static inline void load_f16_vector(float *to, const uint16_t *from)
{
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)from)));
}

static inline void store_f16_vector(uint16_t *to, const float *from)
{
    const __m128i codes = _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128((__m128i *)(void *)to, codes);
}

static inline void round_f16_vector(float *to, const float *from)
{
    const __m256 x = _mm256_loadu_ps(from), quiet = _mm256_add_ps(x, x);
    const __m256 rounded = _mm256_cvtph_ps(_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
    const __m256 is_nan = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
    _mm256_storeu_ps(to, _mm256_blendv_ps(rounded, quiet, is_nan));
}

F16_LANES(lanes_load_f16, float, uint16_t, load_f16_vector, decode_f16)
F16_LANES(lanes_store_f16, uint16_t, float, store_f16_vector, encode_f16)
F16_LANES(lanes_round_f16, float, float, round_f16_vector, round_f16)
#else
MOVES(f16, uint16_t)
#endif

/* A row of the list, if a float is narrower than its carrier; `bytes` is the size of its code. */
#define CODE_1 uint8_t
#define CODE_2 uint16_t
#define EACH_SAME(id, bytes)
#define EACH_FEW(id, bytes)
#define EACH_HALF(id, bytes) LOOPS(id)
#define EACH_OWN(id, bytes) EACH_CODE(id, bytes)
#define EACH_CODE(id, bytes)                                                                       \
    MOVES(id, CODE_##bytes)                                                                        \
    LOOPS(id)
#define TG_DTYPE(id, kind, bits, bytes, carrier, exp, man, bias, special, numpy, st, lanes, ...)   \
    EACH_##lanes(id, bytes)
#include "ir/dtypes.def"

/* -- the tables -- */

#define IF_SAME(...)
#define IF_FEW(...)
#define IF_HALF(...) __VA_ARGS__
#define IF_OWN(...) __VA_ARGS__
#define IF_CODE(...) __VA_ARGS__

const tg_by_dtype TG_ISA_NAME(tg_elementwise_narrow)[TG_OP_COUNT] = {
#define TG_DTYPE(id, kind, bits, bytes, carrier, exp, man, bias, special, numpy, st, lanes, ...)   \
    IF_##lanes([TG_OP_integer_pow][TG_DT_##id] = lanes_integer_pow_##id,                           \
               [TG_OP_nextafter][TG_DT_##id] = lanes_nextafter_##id,                               \
               [TG_OP_reduce_precision][TG_DT_##id] = lanes_reduce_precision_##id, )
#include "ir/dtypes.def"
};

tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_round)[TG_DT_COUNT] = {
#define TG_DTYPE(id, kind, bits, bytes, carrier, exp, man, bias, special, numpy, st, lanes, ...)   \
    IF_##lanes([TG_DT_##id] = lanes_round_##id, )
#include "ir/dtypes.def"
};

tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_load_narrow)[TG_DT_COUNT] = {
#define TG_DTYPE(id, kind, bits, bytes, carrier, exp, man, bias, special, numpy, st, lanes, ...)   \
    IF_##lanes([TG_DT_##id] = lanes_load_##id, )
#include "ir/dtypes.def"
};

tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_store_narrow)[TG_DT_COUNT] = {
#define TG_DTYPE(id, kind, bits, bytes, carrier, exp, man, bias, special, numpy, st, lanes, ...)   \
    IF_##lanes([TG_DT_##id] = lanes_store_##id, )
#include "ir/dtypes.def"
};
