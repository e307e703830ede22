/* The f32 elementary functions of profile `fast`: exp and exp2 are our own; all others are SLEEF's,
 * in its deterministic variants, which all give the same bits.  Compiled once per instruction set,
 * and called without SLEEF's dispatcher. */
#include "interp/elementwise/elementary_fast.h"
#include "interp/elementwise/elementwise_impl.h"

#ifdef TG_HAVE_SLEEF

/* Those of SLEEF's "1.0 ULP" functions that are within that on every operand, as measured in
 * docs/numerics-fast.md.  All others stay with the reference: sinh, cosh, asinh, acosh and log1p,
 * which give infinities for large finite operands, and erf. */
#define EACH_FUNCTION(F)                                                                           \
    F(expm1)                                                                                       \
    F(log) F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(tanh) F(atanh) F(cbrt)
#define EACH_FUNCTION_2(F) F(pow) F(atan2)

/* -- a register of lanes, with the only NaN in place of any -- */

#if defined __AVX512F__

#include <immintrin.h>
#include <sleef.h>

#define SLEEF_NAME(name) Sleef_finz_##name##f16_u10avx512f
enum { WIDTH = 16 };
typedef __m512 lanes_of_f32;

static inline lanes_of_f32 get(const float *from) { return _mm512_loadu_ps(from); }
static inline lanes_of_f32 repeat(float x) { return _mm512_set1_ps(x); }

static inline void put_raw(float *to, lanes_of_f32 r) { _mm512_storeu_ps(to, r); }

static inline bool has_nan(lanes_of_f32 a, lanes_of_f32 b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q) != 0;
}

static inline void put(float *to, lanes_of_f32 r)
{
    const __mmask16 is_nan = _mm512_cmp_ps_mask(r, r, _CMP_UNORD_Q);
    const __m512i bits = _mm512_castps_si512(r), one = _mm512_set1_epi32(0x7fc00000);
    _mm512_storeu_si512(to, _mm512_mask_mov_epi32(bits, is_nan, one));
}

#elif defined __AVX2__

#include <immintrin.h>
#include <sleef.h>

#define SLEEF_NAME(name) Sleef_finz_##name##f8_u10avx2
enum { WIDTH = 8 };
typedef __m256 lanes_of_f32;

static inline lanes_of_f32 get(const float *from) { return _mm256_loadu_ps(from); }
static inline lanes_of_f32 repeat(float x) { return _mm256_set1_ps(x); }

static inline void put_raw(float *to, lanes_of_f32 r) { _mm256_storeu_ps(to, r); }

static inline bool has_nan(lanes_of_f32 a, lanes_of_f32 b)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_UNORD_Q)) != 0;
}

static inline void put(float *to, lanes_of_f32 r)
{
    const __m256 is_nan = _mm256_cmp_ps(r, r, _CMP_UNORD_Q);
    const __m256 one = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
    _mm256_storeu_ps(to, _mm256_blendv_ps(r, one, is_nan));
}

#else

#define SLEEF_NAME(name) Sleef_finz_##name##f1_u10purecfma
enum { WIDTH = 1 };
typedef float lanes_of_f32;

/* SLEEF's header declares these only for compilers that contract by default. */
#define DECLARE(id) float SLEEF_NAME(id)(float x);
#define DECLARE_2(id) float SLEEF_NAME(id)(float x, float y);
EACH_FUNCTION(DECLARE)
EACH_FUNCTION_2(DECLARE_2)

static inline lanes_of_f32 get(const float *from) { return *from; }
static inline lanes_of_f32 repeat(float x) { return x; }
static inline void put_raw(float *to, lanes_of_f32 r) { *to = r; }
static inline bool has_nan(lanes_of_f32 a, lanes_of_f32 b) { return a != a || b != b; }
static inline void put(float *to, lanes_of_f32 r) { *to = r == r ? r : f32_of_bits(0x7fc00000); }

#endif

/* -- whole runs -- */

/* Stores two registers, the first of which is in `to` already: NaN is rare, so one comparison looks
 * for it in both. */
static inline void put_pair(float *to, lanes_of_f32 second)
{
    const lanes_of_f32 first = get(to);
    put_raw(to + WIDTH, second);
    if (!has_nan(first, second)) return;
    put(to, first);
    put(to + WIDTH, second);
}

/* Loads up to WIDTH lanes; the others are 1. */
static inline lanes_of_f32 get_some(const float *from, size_t count)
{
    float some[WIDTH];
    for (size_t i = 0; i < WIDTH; i++) some[i] = i < count ? from[i] : 1.0f;
    return get(some);
}

static inline void put_some(float *to, lanes_of_f32 r, size_t count)
{
    float some[WIDTH];
    put(some, r);
    memcpy(to, some, count * sizeof *to);
}

#define FUNCTION(id)                                                                               \
    static void id##_fast(LANES_ARGS)                                                              \
    {                                                                                              \
        float *const r = dst;                                                                      \
        const float *const a = src[0];                                                             \
        size_t i = 0;                                                                              \
        LANES_UNUSED();                                                                            \
        if (splat & 1) {                                                                           \
            float all;                                                                             \
            put_some(&all, SLEEF_NAME(id)(repeat(a[0])), 1);                                       \
            for (; i < count; i++) r[i] = all;                                                     \
            return;                                                                                \
        }                                                                                          \
        for (; count - i >= 2 * WIDTH; i += 2 * WIDTH) {                                           \
            put_raw(r + i, SLEEF_NAME(id)(get(a + i)));                                            \
            put_pair(r + i, SLEEF_NAME(id)(get(a + i + WIDTH)));                                   \
        }                                                                                          \
        for (; count - i >= WIDTH; i += WIDTH) put(r + i, SLEEF_NAME(id)(get(a + i)));             \
        if (i < count) put_some(r + i, SLEEF_NAME(id)(get_some(a + i, count - i)), count - i);     \
    }

#define OPERAND(k, i, n)                                                                           \
    (splat >> (k)&1 ? repeat(*(const float *)src[k]) : get_some((const float *)src[k] + (i), n))

#define FUNCTION_2(id)                                                                             \
    static void id##_fast(LANES_ARGS)                                                              \
    {                                                                                              \
        float *const r = dst;                                                                      \
        (void)imm;                                                                                 \
        for (size_t i = 0; i < count; i += WIDTH) {                                                \
            const size_t n = count - i < WIDTH ? count - i : WIDTH;                                \
            put_some(r + i, SLEEF_NAME(id)(OPERAND(0, i, n), OPERAND(1, i, n)), n);                \
        }                                                                                          \
    }

EACH_FUNCTION(FUNCTION)
EACH_FUNCTION_2(FUNCTION_2)

/* -- our own: called by name, as SLEEF's take twice as long -- */

enum { BLOCK = 256 }; /* elements that share the decision whether all are moderate */

TG_FORM float one_nan(float x) { return x == x ? x : f32_of_bits(0x7fc00000); }

#define EXPONENTIAL(id, most)                                                                      \
    static void id##_fast(LANES_ARGS)                                                              \
    {                                                                                              \
        float *const r = dst;                                                                      \
        const float *const a = src[0];                                                             \
        LANES_UNUSED();                                                                            \
        if (splat & 1) {                                                                           \
            const float all = one_nan(tg_##id##_fast_any(a[0]));                                   \
            LANES_EACH(i, count) r[i] = all;                                                       \
            return;                                                                                \
        }                                                                                          \
        for (size_t begin = 0; begin < count; begin += BLOCK) {                                    \
            const size_t left = count - begin, lanes = left < BLOCK ? left : BLOCK;                \
            const float *const in = a + begin;                                                     \
            float *const out = r + begin;                                                          \
            uint32_t other = 0;                                                                    \
            LANES_EACH(i, lanes) other |= !((in[i] <= (most)) & (in[i] >= -(most)));               \
            if (other) {                                                                           \
                LANES_EACH(i, lanes) out[i] = one_nan(tg_##id##_fast_any(in[i]));                  \
            } else {                                                                               \
                LANES_EACH(i, lanes) out[i] = tg_##id##_fast_small(in[i]);                         \
            }                                                                                      \
        }                                                                                          \
    }
EXPONENTIAL(exp, TG_EXP_FAST_MOST)
EXPONENTIAL(exp2, TG_EXP2_FAST_MOST)

#define ROW(id) [TG_OP_##id] = id##_fast,

tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_fast_f32)[TG_OP_COUNT] = {
    ROW(exp) ROW(exp2) EACH_FUNCTION(ROW) EACH_FUNCTION_2(ROW)};

#endif
