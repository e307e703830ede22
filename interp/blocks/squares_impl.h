/* Transposes of small squares, the inner step of every move that turns rows into columns:
 *
 *   tg_square_32(dst, to, src, from)  src[j * from + i] goes to dst[i * to + j], i, j < 128 / 32
 *
 * and likewise for elements of 8, 16 and 64 bits. */
#ifndef TG_INTERP_BLOCKS_SQUARES_IMPL_H
#define TG_INTERP_BLOCKS_SQUARES_IMPL_H

#include <stdint.h>
#include <string.h>

#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
#define INTERLEAVE(bits, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define INTERLEAVE(bits, a, b, ...) __builtin_shuffle(a, b, (tg_square_row_##bits){__VA_ARGS__})
#endif
#define LOW_64 0, 2
#define HIGH_64 1, 3
#define LOW_32 0, 4, 1, 5
#define HIGH_32 2, 6, 3, 7
#define LOW_16 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_16 4, 12, 5, 13, 6, 14, 7, 15
#define LOW_8 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_8 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31

#define EACH _Pragma("GCC unroll 16")

/* Each stage interleaves row i with the row half a square below. */
#define SQUARE(bits, stages)                                                                       \
    typedef uint##bits##_t tg_square_row_##bits __attribute__((vector_size(16)));                  \
    static inline __attribute__((always_inline, unused)) void tg_square_##bits(                    \
        uint##bits##_t *dst, int64_t to, const uint##bits##_t *src, int64_t from)                  \
    {                                                                                              \
        enum { N = 128 / bits };                                                                   \
        tg_square_row_##bits row[N], mixed[N];                                                     \
        EACH for (int i = 0; i < N; i++) memcpy(&row[i], src + i * from, 16);                      \
        EACH for (int stage = 0; stage < stages; stage++)                                          \
        {                                                                                          \
            EACH for (int i = 0; i < N / 2; i++)                                                   \
            {                                                                                      \
                mixed[2 * i] = INTERLEAVE(bits, row[i], row[i + N / 2], LOW_##bits);               \
                mixed[2 * i + 1] = INTERLEAVE(bits, row[i], row[i + N / 2], HIGH_##bits);          \
            }                                                                                      \
            EACH for (int i = 0; i < N; i++) row[i] = mixed[i];                                    \
        }                                                                                          \
        EACH for (int i = 0; i < N; i++) memcpy(dst + i * to, &row[i], 16);                        \
    }
SQUARE(8, 4)
SQUARE(16, 3)
SQUARE(32, 2)
SQUARE(64, 1)

#undef SQUARE
#undef EACH
#undef INTERLEAVE
#undef LOW_64
#undef HIGH_64
#undef LOW_32
#undef HIGH_32
#undef LOW_16
#undef HIGH_16
#undef LOW_8
#undef HIGH_8

#endif
