/* The inner loops that are compiled once per instruction set, and how to find them. */
#ifndef TG_INTERP_BLOCKS_KERNELS_H
#define TG_INTERP_BLOCKS_KERNELS_H

#include "interp/elementwise/elementwise.h"

/* Tiles of a product, one below the other, of equal height and width.  Strides are in elements. */
typedef struct tg_tiles {
    int64_t k, count; /* links of each chain; number of tiles */
    const void *lhs;
    int64_t lhs_row, lhs_k, lhs_tile; /* from one row, column or tile to the next */
    const void *rhs;                  /* the same for all tiles, with dense rows */
    int64_t rhs_k;
    void *out; /* with dense rows, as is the addend */
    int64_t out_row;
    bool resume;        /* the chains go on from `out`; else they start from +0 */
    const void *addend; /* NULL: none */
    int64_t addend_row;
    /* Memory to prefetch, in a circle; next_bytes is a multiple of k * TG_TILE_ASKS. */
    const char *next;
    int64_t next_bytes;
} tg_tiles;

/* Adds to each tile, k ascending:
 *   out[r * out_row + c] += lhs[r * lhs_row + p * lhs_k] * rhs[p * rhs_k + c],  p = 0 ... k - 1
 * with one fma chain per element, and at its end addend[r * addend_row + c].  Meanwhile each tile
 * prefetches k * TG_TILE_ASKS bytes into the first-level cache. */
enum { TG_TILE_ASKS = 8 };
typedef void tg_tile_fn(const tg_tiles *tiles);

/* Packs `panels` panels whose rows are dense and `row_bytes` apart, one after the other.
 *   pack_columns  they lie side by side in k rows; each becomes k rows as wide as the widest tile
 *   pack_rows     they lie one below the other, each with as many rows of k elements as the
 *                 tallest tile has; each is transposed */
typedef void tg_pack_fn(void *to, const void *from, int64_t k, int64_t row_bytes, int64_t panels);

enum { TG_TILE_ROWS_MAX = 8, TG_TILE_VECTORS = 2, TG_TILE_COLS_MAX = 32 };

typedef struct tg_tile_kernels {
    int rows;  /* height of the tallest tile */
    int lanes; /* elements of a vector; a tile is one or two vectors wide */
    tg_pack_fn *pack_columns, *pack_rows;
    tg_tile_fn *tile[TG_TILE_VECTORS][TG_TILE_ROWS_MAX]; /* [vectors - 1][rows - 1] */
} tg_tile_kernels;

/* out[r] = result over the n elements in[r * row_stride ...], for all `rows`; n >= 1.
 * `work` holds n elements. */
typedef void tg_rows_fn(void *out, const void *in, int64_t row_stride, int64_t rows, int64_t n,
                        void *work);

/* Rows of 2, 4 or 8 pieces of 16 bytes: piece c of a row is at place c ^ k of it, k < pieces.  Piece 0
 * of row r is runs[r * pieces] elements from `data` on; rows begin at multiples of their length.  If
 * there are `kinds`, k of row r is r / repeat % kinds. */
enum { TG_SWIZZLE_PIECE = 16 };
typedef struct tg_swizzled_rows {
    unsigned char *data;
    const int32_t *runs;
    int64_t count, element_bytes, repeat;
    int pieces, kinds;
} tg_swizzled_rows;

/* Moves the rows to or from `dense`, in the order of their pieces. */
typedef void tg_swizzle_fn(const tg_swizzled_rows *rows, unsigned char *dense);
enum { TG_SWIZZLE_GET, TG_SWIZZLE_PUT };

/* Rows of `count` dense numbers, `row_apart` numbers from one to the next. */
typedef struct tg_spaced_rows {
    const int64_t *rows;
    int64_t row_count, row_apart, count;
    int64_t first, row_step, step;
} tg_spaced_rows;

/* Returns whether number i of row n is first + n * row_step + i * step, modulo 2^64, for all. */
typedef bool tg_spaced_fn(const tg_spaced_rows *rows);

enum tg_kernel_type { TG_KERNEL_F32, TG_KERNEL_F64, TG_KERNEL_U32, TG_KERNEL_U64, TG_KERNEL_TYPES };

typedef struct tg_block_kernels {
    const tg_tile_kernels *tiles;        /* TG_KERNEL_TYPES entries */
    tg_rows_fn *const *sum_rows;         /* TG_KERNEL_TYPES entries; by the tree of tg_reduce */
    tg_rows_fn *const *max_rows;         /* F32, F64 */
    tg_rows_fn *const *min_rows;         /* F32, F64 */
    tg_swizzle_fn *const *swizzle_moves; /* TG_SWIZZLE_GET, TG_SWIZZLE_PUT */
    tg_spaced_fn *rows_are_spaced;
} tg_block_kernels;

/* The kernels of the instruction set of `lanes`. */
const tg_block_kernels *tg_block_kernels_of(const tg_elementwise *lanes);

/* The kernel type with the same sums and products as a carrier (signed ints wrap like unsigned
 * ones); TG_KERNEL_TYPES if there is none. */
static inline enum tg_kernel_type tg_kernel_type_of(tg_carrier carrier)
{
    switch (carrier) {
    case TG_C_f32: return TG_KERNEL_F32;
    case TG_C_f64: return TG_KERNEL_F64;
    case TG_C_i32:
    case TG_C_u32: return TG_KERNEL_U32;
    case TG_C_i64:
    case TG_C_u64: return TG_KERNEL_U64;
    default: return TG_KERNEL_TYPES;
    }
}

#define TG_BLOCK_ISA(isa)                                                                          \
    extern const tg_tile_kernels tg_tile_kernels__##isa[TG_KERNEL_TYPES];                          \
    extern tg_rows_fn *const tg_sum_rows__##isa[TG_KERNEL_TYPES];                                  \
    extern tg_rows_fn *const tg_max_rows__##isa[TG_KERNEL_TYPES];                                  \
    extern tg_rows_fn *const tg_min_rows__##isa[TG_KERNEL_TYPES];                                  \
    extern tg_swizzle_fn *const tg_swizzle_moves__##isa[];                                         \
    extern tg_spaced_fn tg_rows_are_spaced__##isa;
TG_BLOCK_ISA(baseline)
TG_BLOCK_ISA(avx2)
TG_BLOCK_ISA(avx512)
#undef TG_BLOCK_ISA

#endif
