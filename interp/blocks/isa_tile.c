/* Tiles of matrix products, compiled once per instruction set.  A tile keeps rows x vectors
 * accumulators in registers: 8 x 2 of 32 (AVX-512), 6 x 2 of 16 (AVX2). */
#include "interp/blocks/isa_vec_impl.h"
#include "interp/blocks/kernels.h"
#include "interp/blocks/squares_impl.h"
#include "interp/elementwise/isa_name.h"

#if defined TG_VEC_AVX512
enum { ROWS = 8 };
#elif defined TG_VEC_AVX2
enum { ROWS = 6 };
#else
enum { ROWS = 4 };
#endif

enum { LINE = 64 }; /* bytes of a cache line */

/* Prefetches memory that will be written. */
TG_INLINE void ask_for(const void *memory, int bytes)
{
    const char *from = memory;
    UNROLLED for (int i = 0; i < bytes; i += LINE) __builtin_prefetch(from + i, 1);
    __builtin_prefetch(from + bytes - 1, 1); /* one more line, if they are not aligned */
}

/* One more link of each chain: a column of the left-hand side, of which `a` is the element in row r, times
 * a row of the right-hand side. */
#define LINK(type, rows, vectors, a, b)                                                            \
    do {                                                                                           \
        vec_##type cols[vectors];                                                                  \
        UNROLLED for (int v = 0; v < vectors; v++) cols[v] = load_##type((b) + v * LANES_##type);  \
        UNROLLED for (int r = 0; r < rows; r++)                                                    \
        {                                                                                          \
            const vec_##type one = splat_##type(a);                                                \
            UNROLLED for (int v = 0; v < vectors; v++) acc[r][v] =                                 \
                fma_##type(one, cols[v], acc[r][v]);                                               \
        }                                                                                          \
    } while (0)

/* As many links as make pairs: k, a, b and asked go on.  With two links per turn the processor does little
 * else than multiply, which matters if another thread shares the core.  LINKS_OF_PANELS if both sides are panels, whose strides are constants, and LINKS_OF_ROWS
 * if the left-hand side is rows of dense elements. */
#define LINKS_OF_PANELS(type, rows, vectors)                                                       \
    for (; k >= 2; k -= 2, a += 2 * rows, b += 2 * WIDTH, asked += 2 * TG_TILE_ASKS) {             \
        __builtin_prefetch(asked);                                                                 \
        LINK(type, rows, vectors, a[r], b);                                                        \
        LINK(type, rows, vectors, a[rows + r], b + WIDTH);                                         \
    }

#define LINKS_OF_ROWS(type, elem, rows, vectors)                                                   \
    const elem *row[rows];                                                                         \
    int64_t p = 0;                                                                                 \
    UNROLLED for (int r = 0; r < rows; r++) row[r] = a + r * lhs_row;                              \
    for (; p + 2 <= k; p += 2, b += 2 * rhs_k, asked += 2 * TG_TILE_ASKS) {                        \
        __builtin_prefetch(asked);                                                                 \
        LINK(type, rows, vectors, row[r][p], b);                                                   \
        LINK(type, rows, vectors, row[r][p + 1], b + rhs_k);                                       \
    }                                                                                              \
    k -= p;                                                                                        \
    a += p;

#define TILE(type, elem, rows, vectors)                                                            \
    static void tile_##type##_##rows##_##vectors(const tg_tiles *t)                                \
    {                                                                                              \
        enum { WIDTH = vectors * LANES_##type };                                                   \
        const int64_t lhs_row = t->lhs_row, lhs_k = t->lhs_k, rhs_k = t->rhs_k;                    \
        const int64_t out_row = t->out_row;                                                        \
        const bool is_packed = lhs_row == 1 && lhs_k == rows && rhs_k == WIDTH;                    \
        const elem *lhs = t->lhs, *d = t->addend;                                                  \
        elem *c = t->out;                                                                          \
        int64_t asked_for = 0;                                                                     \
        for (int64_t i = 0; i < t->count; i++, lhs += t->lhs_tile, c += rows * out_row) {          \
            const elem *a = lhs, *b = t->rhs;                                                      \
            const char *asked = t->next + asked_for;                                               \
            UNROLLED for (int r = 0; r < rows; r++) ask_for(c + r * out_row, vectors * VEC_BYTES); \
            vec_##type acc[rows][vectors];                                                         \
            UNROLLED for (int r = 0; r < rows; r++) UNROLLED for (int v = 0; v < vectors; v++)     \
                acc[r][v] =                                                                        \
                    t->resume ? load_##type(c + r * out_row + v * LANES_##type) : (vec_##type){0}; \
            int64_t k = t->k;                                                                      \
            if (is_packed) {                                                                       \
                LINKS_OF_PANELS(type, rows, vectors)                                               \
            } else if (lhs_k == 1) {                                                               \
                LINKS_OF_ROWS(type, elem, rows, vectors)                                           \
            }                                                                                      \
            for (; k > 0; k--, a += lhs_k, b += rhs_k, asked += TG_TILE_ASKS) {                    \
                __builtin_prefetch(asked);                                                         \
                LINK(type, rows, vectors, a[r * lhs_row], b);                                      \
            }                                                                                      \
            if (d != NULL) {                                                                       \
                UNROLLED for (int r = 0; r < rows; r++) UNROLLED for (int v = 0; v < vectors; v++) \
                    acc[r][v] += load_##type(d + r * t->addend_row + v * LANES_##type);            \
                d += rows * t->addend_row;                                                         \
            }                                                                                      \
            UNROLLED for (int r = 0; r < rows; r++) UNROLLED for (int v = 0; v < vectors; v++)     \
                store_##type(c + r * out_row + v * LANES_##type, acc[r][v]);                       \
            asked_for += t->k * TG_TILE_ASKS;                                                      \
            if (asked_for == t->next_bytes) asked_for = 0;                                         \
        }                                                                                          \
    }

#if defined TG_VEC_AVX512
#define EACH_ROW_COUNT(X, ...)                                                                     \
    X(__VA_ARGS__, 1)                                                                              \
    X(__VA_ARGS__, 2)                                                                              \
    X(__VA_ARGS__, 3)                                                                              \
    X(__VA_ARGS__, 4) X(__VA_ARGS__, 5) X(__VA_ARGS__, 6) X(__VA_ARGS__, 7) X(__VA_ARGS__, 8)
#elif defined TG_VEC_AVX2
#define EACH_ROW_COUNT(X, ...)                                                                     \
    X(__VA_ARGS__, 1)                                                                              \
    X(__VA_ARGS__, 2) X(__VA_ARGS__, 3) X(__VA_ARGS__, 4) X(__VA_ARGS__, 5) X(__VA_ARGS__, 6)
#else
#define EACH_ROW_COUNT(X, ...)                                                                     \
    X(__VA_ARGS__, 1) X(__VA_ARGS__, 2) X(__VA_ARGS__, 3) X(__VA_ARGS__, 4)
#endif

#define TILES_OF(type, elem, rows) TILE(type, elem, rows, 1) TILE(type, elem, rows, 2)
EACH_ROW_COUNT(TILES_OF, f32, float)
EACH_ROW_COUNT(TILES_OF, f64, double)
EACH_ROW_COUNT(TILES_OF, u32, uint32_t)
EACH_ROW_COUNT(TILES_OF, u64, uint64_t)

/* The rows of a block lie far apart in its array, and each is too short for the hardware
 * prefetcher: later rows are prefetched early. */
static void pack_columns(void *to, const void *from, int64_t k, int64_t row_bytes, int64_t panels)
{
    enum { WIDTH = TG_TILE_VECTORS * VEC_BYTES, EARLY = 8 };
    for (int64_t p = 0; p < k; p++) {
        const char *row = (const char *)from + p * row_bytes;
        char *panel = (char *)to + p * WIDTH;
        if (k - p > EARLY)
            for (int64_t i = 0; i < panels * WIDTH; i += LINE)
                __builtin_prefetch(row + EARLY * row_bytes + i);
        for (int64_t c = 0; c < panels; c++, panel += k * WIDTH) {
            memcpy(panel, row + c * WIDTH, WIDTH);
            __builtin_prefetch(panel + EARLY * WIDTH, 1);
        }
    }
}

/* Likewise, but into the second-level cache: rows whose distance is a power of two evict each other
 * from the first-level cache.  Squares are transposed; the last one overlaps the one before it. */
#define PACK_ROWS(bits)                                                                            \
    static void pack_rows_##bits(void *to, const void *from, int64_t k, int64_t row_bytes,         \
                                 int64_t panels)                                                   \
    {                                                                                              \
        enum { IN_LINE = 8 * LINE / bits, N = 128 / bits };                                        \
        const int64_t row = row_bytes / (bits / 8);                                                \
        const uint##bits##_t *rows = from;                                                         \
        uint##bits##_t *next = to;                                                                 \
        for (int64_t i = 0; i < panels; i++, rows += ROWS * row, next += ROWS * k) {               \
            int64_t p = 0;                                                                         \
            for (; p + N <= k; p += N) {                                                           \
                if (p % IN_LINE == 0 && i + 1 < panels)                                            \
                    for (int r = 0; r < ROWS; r++)                                                 \
                        __builtin_prefetch(&rows[(ROWS + r) * row + p], 0, 2);                     \
                UNROLLED for (int s = 0; s < ROWS; s += N)                                         \
                {                                                                                  \
                    const int r = s + N <= ROWS ? s : ROWS - N;                                    \
                    tg_square_##bits(next + p * ROWS + r, ROWS, rows + r * row + p, row);          \
                }                                                                                  \
            }                                                                                      \
            for (; p < k; p++)                                                                     \
                UNROLLED for (int r = 0; r < ROWS; r++) next[p * ROWS + r] = rows[r * row + p];    \
        }                                                                                          \
    }
PACK_ROWS(32)
PACK_ROWS(64)
#define pack_rows_f32 pack_rows_32
#define pack_rows_u32 pack_rows_32
#define pack_rows_f64 pack_rows_64
#define pack_rows_u64 pack_rows_64

#define ENTRY(type, vectors, rows) tile_##type##_##rows##_##vectors,
#define KERNELS(type)                                                                              \
    {                                                                                              \
        ROWS, LANES_##type, pack_columns, pack_rows_##type,                                        \
        {                                                                                          \
            {EACH_ROW_COUNT(ENTRY, type, 1)}, { EACH_ROW_COUNT(ENTRY, type, 2) }                   \
        }                                                                                          \
    }
const tg_tile_kernels TG_ISA_NAME(tg_tile_kernels)[TG_KERNEL_TYPES] = {
    [TG_KERNEL_F32] = KERNELS(f32),
    [TG_KERNEL_F64] = KERNELS(f64),
    [TG_KERNEL_U32] = KERNELS(u32),
    [TG_KERNEL_U64] = KERNELS(u64),
};
