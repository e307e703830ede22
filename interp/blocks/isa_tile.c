/* Tiles of matrix products, compiled once per instruction set.  A tile keeps rows x vectors accumulators
 * in registers: 8 x 2 of 32 (AVX-512), 6 x 2 of 16 (AVX2). */
#include "interp/blocks/isa_vec_impl.h"
#include "interp/blocks/kernels_impl.h"

#if defined TG_VEC_AVX512
enum { ROWS = 8 };
#elif defined TG_VEC_AVX2
enum { ROWS = 6 };
#else
enum { ROWS = 4 };
#endif

enum { LINE = 64 }; /* of the caches */

#define UNROLLED _Pragma("GCC unroll 8")

/* Memory that is going to be written. */
TG_INLINE void ask_for(const void *memory, int bytes)
{
    const char *from = memory;
    UNROLLED for (int i = 0; i < bytes; i += LINE) __builtin_prefetch(from + i, 1);
    __builtin_prefetch(from + bytes - 1, 1); /* another line, if they are not aligned */
}

#define TILE(type, elem, rows, vectors)                                                            \
    static void tile_##type##_##rows##_##vectors(                                                  \
        int64_t k, const void *lhs, int64_t lhs_row, int64_t lhs_k, const void *rhs,               \
        int64_t rhs_k, void *out, int64_t out_row, bool resume, const void *addend,                \
        int64_t addend_row, const void *next)                                                      \
    {                                                                                              \
        const elem *a = lhs, *b = rhs, *d = addend;                                                \
        elem *c = out;                                                                             \
        const char *asked = next;                                                                  \
        UNROLLED for (int r = 0; r < rows; r++) ask_for(c + r * out_row, vectors * VEC_BYTES);     \
        vec_##type acc[rows][vectors];                                                             \
        UNROLLED for (int r = 0; r < rows; r++) UNROLLED for (int v = 0; v < vectors; v++)         \
            acc[r][v] =                                                                            \
                resume ? load_##type(c + r * out_row + v * LANES_##type) : (vec_##type){0};        \
        for (int64_t p = 0; p < k; p++, a += lhs_k, b += rhs_k, asked += TG_TILE_ASKS) {           \
            vec_##type cols[vectors];                                                              \
            __builtin_prefetch(asked);                                                             \
            UNROLLED for (int v = 0; v < vectors; v++) cols[v] =                                   \
                load_##type(b + v * LANES_##type);                                                 \
            UNROLLED for (int r = 0; r < rows; r++)                                                \
            {                                                                                      \
                const vec_##type row = splat_##type(a[r * lhs_row]);                               \
                UNROLLED for (int v = 0; v < vectors; v++) acc[r][v] =                             \
                    fma_##type(row, cols[v], acc[r][v]);                                           \
            }                                                                                      \
        }                                                                                          \
        if (d != NULL)                                                                             \
            UNROLLED for (int r = 0; r < rows; r++) UNROLLED for (int v = 0; v < vectors; v++)     \
                acc[r][v] += load_##type(d + r * addend_row + v * LANES_##type);                   \
        UNROLLED for (int r = 0; r < rows; r++) UNROLLED for (int v = 0; v < vectors; v++)         \
            store_##type(c + r * out_row + v * LANES_##type, acc[r][v]);                           \
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

/* The rows of a block lie far apart in its array, each for itself too short for the processor to see a pattern:
 * those to come are asked for early. */
static void pack_columns(void *to, const void *from, int64_t k, int64_t row_bytes, int64_t panels)
{
    enum { WIDTH = TG_TILE_VECTORS * VEC_BYTES, EARLY = 8 };
    for (int64_t p = 0; p < k; p++) {
        const char *row = (const char *)from + p * row_bytes;
        char *panel = (char *)to + p * WIDTH;
        if (k - p > EARLY)
            for (int64_t i = 0; i < panels * WIDTH; i += LINE)
                __builtin_prefetch(row + EARLY * row_bytes + i);
        for (int64_t c = 0; c < panels; c++) memcpy(panel + c * k * WIDTH, row + c * WIDTH, WIDTH);
    }
}

/* Likewise; to the second-level cache, since rows whose distance is a power of two are in each other's way in the first. */
#define PACK_ROWS(bits)                                                                            \
    static void pack_rows_##bits(void *to, const void *from, int64_t k, int64_t row_bytes,         \
                                 int64_t panels)                                                   \
    {                                                                                              \
        enum { IN_LINE = 8 * LINE / bits };                                                        \
        uint##bits##_t *next = to;                                                                 \
        for (int64_t i = 0; i < panels; i++) {                                                     \
            const char *rows = (const char *)from + i * ROWS * row_bytes;                          \
            for (int64_t p = 0; p < k; p++, next += ROWS) {                                        \
                const char *column = rows + p * (bits / 8);                                        \
                if (p % IN_LINE == 0 && i + 1 < panels)                                            \
                    for (int r = 0; r < ROWS; r++)                                                 \
                        __builtin_prefetch(column + (ROWS + r) * row_bytes, 0, 2);                 \
                UNROLLED for (int r = 0; r < ROWS; r++)                                            \
                    memcpy(&next[r], column + r * row_bytes, sizeof *next);                        \
            }                                                                                      \
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
