/* What the forms of a matrix product share: dot.c has a thread for each element of the result; two others go by tiles in
 * shared memory (dot_bring.c), of which dot_squares.c gives each thread a square, and dot_mma.c each warp a piece. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_DOT_IMPL_H
#define TG_GPU_BACKEND_INSTRUCTIONS_DOT_IMPL_H

#include "gpu_backend/emit/emitter.h"

/* One side of a product as a stack of matrices: its rows are what the result keeps of it, k runs along the other
 * dimension.  Strides in elements: stack, row, k. */
typedef struct tg_ptx_dot_side {
    const tg_operand *o;
    int64_t rows, stride[3];
    tg_ptx_space space;
    int64_t displacement; /* bytes from the slot's address to the first element */
    bool is_one;          /* the same number throughout */
} tg_ptx_dot_side;

tg_ptx_dot_side tg_ptx_dot_lhs(const tg_ptx_emitter *em, const struct tg_inst_dot *dot);
tg_ptx_dot_side tg_ptx_dot_rhs(const tg_ptx_emitter *em, const struct tg_inst_dot *dot);

/* sum = left * right + sum, rounded once; in acc's class of registers. */
void tg_ptx_multiply_add(tg_ptx_emitter *em, tg_dtype acc, tg_ptx_reg sum, tg_ptx_reg left,
                         tg_ptx_reg right);

/* Adds the element of the matrix that is to be added, if any, and stores.
 *   index   of the element: stack, row, column (.b32); those of extent 1 are not looked at */
void tg_ptx_dot_finish(tg_ptx_emitter *em, const struct tg_inst_dot *dot, const tg_ptx_reg *index,
                       tg_ptx_reg sum);

/* ---- tiles ---- */

/* Places of k in shared memory at once; the most elements of a side that a thread brings each time; and the sums that a
 * thread has of a tile, as a grid of so many rows and columns. */
enum { TG_PTX_DEPTH = 16, TG_PTX_MOST_BROUGHT = 16, TG_PTX_SUMS = 16, TG_PTX_MOST_ALONG = 8 };

/* As what elements lie in shared memory. */
typedef enum tg_ptx_staging {
    TG_PTX_STAGED_CARRIER,
    TG_PTX_STAGED_MEMORY, /* f16, bf16: their 2 bytes */
    TG_PTX_STAGED_TF32    /* f32, rounded to nearest, ties away from zero */
} tg_ptx_staging;

/* A side's tile of `extent` rows and TG_PTX_DEPTH places of k: element (row, k) at row row_pitch + k k_pitch. */
typedef struct tg_ptx_tile {
    const tg_ptx_dot_side *side;
    int64_t extent, row_pitch, k_pitch, bytes; /* `bytes` of all */
    size_t offset;                             /* in shared memory */
    /* Bringing: thread t brings row r0 + j row_step at k0 + j k_step, j < brought. */
    int brought;
    int64_t row_step, k_step;
    tg_ptx_reg row, k;                        /* .b32: r0 and k0 */
    tg_ptx_reg from[TG_PTX_MOST_BROUGHT], to; /* addresses */
    tg_ptx_reg first;                         /* Using: address of what the thread takes first */
} tg_ptx_tile;

typedef struct tg_ptx_tiled {
    const struct tg_inst_dot *dot;
    tg_ptx_dot_side sides[2];
    tg_ptx_tile tile[2];
    tg_ptx_staging staging;
    int64_t counts[3];   /* of tiles: stacks, along rows, along columns */
    tg_ptx_reg index[3]; /* .b32: of the tile in the making: stack, first row, first column */
    tg_ptx_reg
        left; /* .b32: places of k from the ones in shared memory on; not set where there are always enough */
    bool has_left;
    tg_ptx_reg place[2]; /* .b32: row and column in the tile of the thread's first sum */
    int rows, columns;   /* of its grid of sums */
    int64_t row_at[TG_PTX_MOST_ALONG], column_at[TG_PTX_MOST_ALONG]; /* from `place` on */
    tg_ptx_reg sum[TG_PTX_SUMS];                                     /* row-major */
} tg_ptx_tiled;

/* What a form does with tiles that have been brought. */
typedef struct tg_ptx_tile_use {
    /* Sets staging, and extent, pitches and bytes of both tiles.  False where the form is not for this product. */
    bool (*measure)(const tg_ptx_emitter *em, tg_ptx_tiled *t);
    /* Sets place, rows, columns and what they are; and `first` of both tiles, from `memory`, the start of shared memory. */
    void (*begin)(tg_ptx_emitter *em, tg_ptx_tiled *t, tg_ptx_reg memory);
    /* Adds the products of the tiles to the sums.  All threads come here together, between two barriers. */
    void (*multiply)(tg_ptx_emitter *em, const tg_ptx_tiled *t);
} tg_ptx_tile_use;

extern const tg_ptx_tile_use tg_ptx_use_of_squares, tg_ptx_use_of_mma;

/* Bytes of shared memory that a product takes in this form; 0 where it is not for it. */
size_t tg_ptx_tiled_bytes(const tg_ptx_emitter *em, const struct tg_inst_dot *dot,
                          const tg_ptx_tile_use *use);

/* The whole product in a form that is for it. */
void tg_ptx_dot_tiled(tg_ptx_emitter *em, const struct tg_inst_dot *dot,
                      const tg_ptx_tile_use *use);

/* Small rows: r = op(a, b) with a number for b; and base + a by + more, .b64 from .b32. */
tg_ptx_reg tg_ptx_with(tg_ptx_emitter *em, tg_ptx_class class, const char *op, tg_ptx_reg a,
                       int64_t b);
tg_ptx_reg tg_ptx_beyond(tg_ptx_emitter *em, tg_ptx_reg base, tg_ptx_reg a, int64_t by,
                         int64_t more);

static inline int tg_ptx_log2(int64_t power) { return __builtin_ctzll((unsigned long long)power); }

#endif
