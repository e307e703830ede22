/* Vectors of the instruction set for which a source is compiled: types, unaligned loads and stores,
 * and the few operations that C's vector extensions lack.  Included by isa_*.c only. */
#ifndef TG_INTERP_BLOCKS_ISA_VEC_IMPL_H
#define TG_INTERP_BLOCKS_ISA_VEC_IMPL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined __SSE2__
#include <immintrin.h>
#endif

#if defined __AVX512F__
enum { VEC_BYTES = 64 };
#define TG_VEC_AVX512 1
#elif defined __AVX2__ && defined __FMA__
enum { VEC_BYTES = 32 };
#define TG_VEC_AVX2 1
#else
enum { VEC_BYTES = 16 };
#endif

#define TG_INLINE static inline __attribute__((always_inline, unused))
#define UNROLLED _Pragma("GCC unroll 16")

typedef float vec_f32 __attribute__((vector_size(VEC_BYTES)));
typedef double vec_f64 __attribute__((vector_size(VEC_BYTES)));
typedef uint32_t vec_u32 __attribute__((vector_size(VEC_BYTES)));
typedef uint64_t vec_u64 __attribute__((vector_size(VEC_BYTES)));

enum {
    LANES_f32 = VEC_BYTES / 4,
    LANES_u32 = LANES_f32,
    LANES_f64 = VEC_BYTES / 8,
    LANES_u64 = LANES_f64
};

#define VEC_MEMORY(type, elem)                                                                     \
    TG_INLINE vec_##type load_##type(const elem *from)                                             \
    {                                                                                              \
        vec_##type v;                                                                              \
        memcpy(&v, from, sizeof v);                                                                \
        return v;                                                                                  \
    }                                                                                              \
    TG_INLINE void store_##type(elem *to, vec_##type v) { memcpy(to, &v, sizeof v); }
VEC_MEMORY(f32, float)
VEC_MEMORY(f64, double)
VEC_MEMORY(u32, uint32_t)
VEC_MEMORY(u64, uint64_t)
#undef VEC_MEMORY

/* Elements lo and hi of the concatenation of a and b.  With rows of `len` lanes one after the other
 * in a and b, `lower` lists the first halves of all rows and `upper` the second halves. */
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
#define VEC_PICK(index, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define VEC_PICK(index, a, b, ...) __builtin_shuffle(a, b, (index){__VA_ARGS__})
#endif

#define LOWER_16_16 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#define UPPER_16_16 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31
#define LOWER_16_8 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27
#define UPPER_16_8 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31
#define LOWER_16_4 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29
#define UPPER_16_4 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31
#define LOWER_16_2 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define UPPER_16_2 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define LOWER_8_8 0, 1, 2, 3, 8, 9, 10, 11
#define UPPER_8_8 4, 5, 6, 7, 12, 13, 14, 15
#define LOWER_8_4 0, 1, 4, 5, 8, 9, 12, 13
#define UPPER_8_4 2, 3, 6, 7, 10, 11, 14, 15
#define LOWER_8_2 0, 2, 4, 6, 8, 10, 12, 14
#define UPPER_8_2 1, 3, 5, 7, 9, 11, 13, 15
#define LOWER_4_4 0, 1, 4, 5
#define UPPER_4_4 2, 3, 6, 7
#define LOWER_4_2 0, 2, 4, 6
#define UPPER_4_2 1, 3, 5, 7
#define LOWER_2_2 0, 2
#define UPPER_2_2 1, 3

#define HALVE_CASE(lanes, len, index)                                                              \
    case len:                                                                                      \
        *lower = VEC_PICK(index, a, b, LOWER_##lanes##_##len);                                     \
        *upper = VEC_PICK(index, a, b, UPPER_##lanes##_##len);                                     \
        break;
#if defined TG_VEC_AVX512
#define HALVE_CASES_32(index)                                                                      \
    HALVE_CASE(16, 16, index)                                                                      \
    HALVE_CASE(16, 8, index) HALVE_CASE(16, 4, index) HALVE_CASE(16, 2, index)
#define HALVE_CASES_64(index)                                                                      \
    HALVE_CASE(8, 8, index) HALVE_CASE(8, 4, index) HALVE_CASE(8, 2, index)
#elif defined TG_VEC_AVX2
#define HALVE_CASES_32(index)                                                                      \
    HALVE_CASE(8, 8, index) HALVE_CASE(8, 4, index) HALVE_CASE(8, 2, index)
#define HALVE_CASES_64(index) HALVE_CASE(4, 4, index) HALVE_CASE(4, 2, index)
#else
#define HALVE_CASES_32(index) HALVE_CASE(4, 4, index) HALVE_CASE(4, 2, index)
#define HALVE_CASES_64(index) HALVE_CASE(2, 2, index)
#endif

#define VEC_HALVE(type, cases)                                                                     \
    TG_INLINE void halve_##type(vec_##type a, vec_##type b, int len, vec_##type *lower,            \
                                vec_##type *upper)                                                 \
    {                                                                                              \
        switch (len) {                                                                             \
            cases default : *lower = *upper = a;                                                   \
        }                                                                                          \
    }
VEC_HALVE(f32, HALVE_CASES_32(vec_u32))
VEC_HALVE(f64, HALVE_CASES_64(vec_u64))
VEC_HALVE(u32, HALVE_CASES_32(vec_u32))
VEC_HALVE(u64, HALVE_CASES_64(vec_u64))

/* c + a * b, rounded once; integers wrap. */
TG_INLINE vec_u32 fma_u32(vec_u32 a, vec_u32 b, vec_u32 c) { return a * b + c; }
TG_INLINE vec_u64 fma_u64(vec_u64 a, vec_u64 b, vec_u64 c) { return a * b + c; }
TG_INLINE vec_u32 splat_u32(uint32_t x) { return x - (vec_u32){0}; }
TG_INLINE vec_u64 splat_u64(uint64_t x) { return x - (vec_u64){0}; }

/* max and min: b for (NaN, b) and for two zeros, else the greater or the lesser.  unordered:
 * accumulates the lanes in which a or b is NaN. */
#if defined TG_VEC_AVX512
TG_INLINE vec_f32 fma_f32(vec_f32 a, vec_f32 b, vec_f32 c) { return _mm512_fmadd_ps(a, b, c); }
TG_INLINE vec_f64 fma_f64(vec_f64 a, vec_f64 b, vec_f64 c) { return _mm512_fmadd_pd(a, b, c); }
TG_INLINE vec_f32 splat_f32(float x) { return _mm512_set1_ps(x); }
TG_INLINE vec_f64 splat_f64(double x) { return _mm512_set1_pd(x); }
TG_INLINE vec_f32 max_f32(vec_f32 a, vec_f32 b) { return _mm512_max_ps(a, b); }
TG_INLINE vec_f32 min_f32(vec_f32 a, vec_f32 b) { return _mm512_min_ps(a, b); }
TG_INLINE vec_f64 max_f64(vec_f64 a, vec_f64 b) { return _mm512_max_pd(a, b); }
TG_INLINE vec_f64 min_f64(vec_f64 a, vec_f64 b) { return _mm512_min_pd(a, b); }
typedef unsigned nans_f32, nans_f64;
TG_INLINE nans_f32 unordered_f32(nans_f32 so_far, vec_f32 a, vec_f32 b)
{
    return so_far | _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q);
}
TG_INLINE nans_f64 unordered_f64(nans_f64 so_far, vec_f64 a, vec_f64 b)
{
    return so_far | _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q);
}
TG_INLINE nans_f32 no_nans_f32(void) { return 0; }
TG_INLINE nans_f64 no_nans_f64(void) { return 0; }
TG_INLINE int any_nans_f32(nans_f32 n) { return n != 0; }
TG_INLINE int any_nans_f64(nans_f64 n) { return n != 0; }
#elif defined TG_VEC_AVX2
TG_INLINE vec_f32 fma_f32(vec_f32 a, vec_f32 b, vec_f32 c) { return _mm256_fmadd_ps(a, b, c); }
TG_INLINE vec_f64 fma_f64(vec_f64 a, vec_f64 b, vec_f64 c) { return _mm256_fmadd_pd(a, b, c); }
TG_INLINE vec_f32 splat_f32(float x) { return _mm256_set1_ps(x); }
TG_INLINE vec_f64 splat_f64(double x) { return _mm256_set1_pd(x); }
TG_INLINE vec_f32 max_f32(vec_f32 a, vec_f32 b) { return _mm256_max_ps(a, b); }
TG_INLINE vec_f32 min_f32(vec_f32 a, vec_f32 b) { return _mm256_min_ps(a, b); }
TG_INLINE vec_f64 max_f64(vec_f64 a, vec_f64 b) { return _mm256_max_pd(a, b); }
TG_INLINE vec_f64 min_f64(vec_f64 a, vec_f64 b) { return _mm256_min_pd(a, b); }
typedef vec_f32 nans_f32;
typedef vec_f64 nans_f64;
TG_INLINE nans_f32 unordered_f32(nans_f32 so_far, vec_f32 a, vec_f32 b)
{
    return _mm256_or_ps(so_far, _mm256_cmp_ps(a, b, _CMP_UNORD_Q));
}
TG_INLINE nans_f64 unordered_f64(nans_f64 so_far, vec_f64 a, vec_f64 b)
{
    return _mm256_or_pd(so_far, _mm256_cmp_pd(a, b, _CMP_UNORD_Q));
}
TG_INLINE nans_f32 no_nans_f32(void) { return _mm256_setzero_ps(); }
TG_INLINE nans_f64 no_nans_f64(void) { return _mm256_setzero_pd(); }
TG_INLINE int any_nans_f32(nans_f32 n) { return _mm256_movemask_ps(n) != 0; }
TG_INLINE int any_nans_f64(nans_f64 n) { return _mm256_movemask_pd(n) != 0; }
#else
#if defined __FP_FAST_FMAF
TG_INLINE float fma_one_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
/* fmaf without hardware for it.  The product of two floats is exact in double.  The sum is rounded
 * to odd (an inexact sum with an even last bit moves one step towards the exact value), which
 * leaves enough for the final rounding to be that of the exact value. */
TG_INLINE float fma_one_f32(float a, float b, float c)
{
    const double product = (double)a * (double)b, addend = (double)c;
    double sum = product + addend;
    const double part = sum - product;
    const double error = (product - (sum - part)) + (addend - part);
    if (error != 0.0) {
        uint64_t bits;
        memcpy(&bits, &sum, sizeof bits);
        /* The error of infinities and NaNs is NaN; they must not change. */
        const uint64_t move = (uint64_t)(~bits & 1) & (uint64_t)(error == error);
        bits += (error > 0.0) == (sum > 0.0) ? move : -move;
        memcpy(&sum, &bits, sizeof sum);
    }
    return (float)sum;
}
#endif
TG_INLINE vec_f32 fma_f32(vec_f32 a, vec_f32 b, vec_f32 c)
{
    for (int i = 0; i < LANES_f32; i++) c[i] = fma_one_f32(a[i], b[i], c[i]);
    return c;
}
TG_INLINE vec_f64 fma_f64(vec_f64 a, vec_f64 b, vec_f64 c)
{
    for (int i = 0; i < LANES_f64; i++) c[i] = fma(a[i], b[i], c[i]);
    return c;
}
TG_INLINE vec_f32 splat_f32(float x) { return (vec_f32){x, x, x, x}; }
TG_INLINE vec_f64 splat_f64(double x) { return (vec_f64){x, x}; }
typedef vec_u32 nans_f32;
typedef vec_u64 nans_f64;
#define VEC_ORDER(type, bits)                                                                      \
    TG_INLINE vec_##type max_##type(vec_##type a, vec_##type b)                                    \
    {                                                                                              \
        const vec_##bits first = (vec_##bits)(a > b);                                              \
        return (vec_##type)(((vec_##bits)a & first) | ((vec_##bits)b & ~first));                   \
    }                                                                                              \
    TG_INLINE vec_##type min_##type(vec_##type a, vec_##type b)                                    \
    {                                                                                              \
        const vec_##bits first = (vec_##bits)(a < b);                                              \
        return (vec_##type)(((vec_##bits)a & first) | ((vec_##bits)b & ~first));                   \
    }                                                                                              \
    TG_INLINE nans_##type unordered_##type(nans_##type so_far, vec_##type a, vec_##type b)         \
    {                                                                                              \
        return so_far | (vec_##bits)(a != a) | (vec_##bits)(b != b);                               \
    }                                                                                              \
    TG_INLINE nans_##type no_nans_##type(void) { return (nans_##type){0}; }                        \
    TG_INLINE int any_nans_##type(nans_##type n)                                                   \
    {                                                                                              \
        int any = 0;                                                                               \
        for (int i = 0; i < LANES_##type; i++) any |= n[i] != 0;                                   \
        return any;                                                                                \
    }
VEC_ORDER(f32, u32)
VEC_ORDER(f64, u64)
#undef VEC_ORDER
#endif

#endif
