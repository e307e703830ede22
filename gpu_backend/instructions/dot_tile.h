/* Tiles of matrix products: what dot_bring.c brings into shared memory, and what a form of the
 * product (dot_squares.c, dot_mma.c) does with them. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_DOT_TILE_H
#define TG_GPU_BACKEND_INSTRUCTIONS_DOT_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/instructions/dot_parts.h"
#include "gpu_backend/text/writer.h"
#include "plan/plan.h"

/* Places of k in shared memory at once; the most elements of a side that a thread brings each time;
 * and the sums that a thread has of a tile, as a grid of so many rows and columns. */
enum { TG_PTX_DEPTH = 16, TG_PTX_MOST_BROUGHT = 16, TG_PTX_SUMS = 16, TG_PTX_MOST_ALONG = 8 };

/* As what elements lie in shared memory. */
typedef enum tg_ptx_staging {
    TG_PTX_STAGED_CARRIER,
    TG_PTX_STAGED_MEMORY, /* f16, bf16: their 2 bytes */
    TG_PTX_STAGED_TF32    /* f32, rounded to nearest, ties away from zero */
} tg_ptx_staging;

/* A side's tile of `extent` rows and TG_PTX_DEPTH places of k: element (row, k) at row row_pitch +
 * k k_pitch. */
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
    tg_ptx_reg left;     /* .b32: places of k from the ones in shared memory on */
    bool has_left;       /* false: there are always enough, and `left` is not set */
    tg_ptx_reg place[2]; /* .b32: row and column in the tile of the thread's first sum */
    int rows, columns;   /* of its grid of sums */
    int64_t row_at[TG_PTX_MOST_ALONG], column_at[TG_PTX_MOST_ALONG]; /* from `place` on */
    tg_ptx_reg sum[TG_PTX_SUMS];                                     /* row-major */
} tg_ptx_tiled;

/* What a form does with tiles that have been brought. */
typedef struct tg_ptx_tile_use {
    /* Sets staging, and extent, pitches and bytes of both tiles.  False where the form is not for
     * this product. */
    bool (*measure)(const tg_ptx_emitter *em, tg_ptx_tiled *t);
    /* Sets place, rows, columns and what they are; and `first` of both tiles, from `memory`, the
     * start of shared memory. */
    void (*begin)(tg_ptx_emitter *em, tg_ptx_tiled *t, tg_ptx_reg memory);
    /* Adds the products of the tiles to the sums.  All threads come here together, between two
     * barriers. */
    void (*multiply)(tg_ptx_emitter *em, const tg_ptx_tiled *t);
} tg_ptx_tile_use;

/* Small rows: r = op(a, b) with a number for b; and base + a by + more, .b64 from .b32. */
tg_ptx_reg tg_ptx_with(tg_ptx_emitter *em, tg_ptx_class class, const char *op, tg_ptx_reg a,
                       int64_t b);
tg_ptx_reg tg_ptx_beyond(tg_ptx_emitter *em, tg_ptx_reg base, tg_ptx_reg a, int64_t by,
                         int64_t more);

static inline int tg_ptx_log2(int64_t power) { return __builtin_ctzll((unsigned long long)power); }

#endif
