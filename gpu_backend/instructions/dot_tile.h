/* Tiles of matrix products.  dot_bring.c copies them to shared memory; a variant of the product
 * (dot_squares.c, dot_mma.c) multiplies them. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_DOT_TILE_H
#define TG_GPU_BACKEND_INSTRUCTIONS_DOT_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/instructions/dot_parts.h"
#include "gpu_backend/text/writer.h"
#include "plan/plan.h"

/* Indices of k in shared memory at once; the most elements of a side that a thread copies each
 * time; the number of sums of a tile that a thread has; and the most rows or columns in its grid of
 * sums. */
enum { TG_PTX_DEPTH = 16, TG_PTX_MOST_BROUGHT = 16, TG_PTX_SUMS = 16, TG_PTX_MOST_ALONG = 8 };

/* In which representation elements lie in shared memory. */
typedef enum tg_ptx_staging {
    TG_PTX_STAGED_CARRIER,
    TG_PTX_STAGED_MEMORY, /* f16, bf16: their 2 bytes */
    TG_PTX_STAGED_TF32    /* f32, rounded to nearest, ties away from zero */
} tg_ptx_staging;

/* A side's tile of `extent` rows and TG_PTX_DEPTH indices of k.  Element (row, k) is at byte row *
 * row_pitch + k * k_pitch. */
typedef struct tg_ptx_tile {
    const tg_ptx_dot_side *side;
    int64_t extent, row_pitch, k_pitch, bytes; /* `bytes`: size of the whole tile */
    size_t offset;                             /* in shared memory */
    /* For copying: thread t copies the elements (r0 + j row_step, k0 + j k_step), j < brought. */
    int brought;
    int64_t row_step, k_step;
    tg_ptx_reg row, k;                        /* .b32: r0 and k0 */
    tg_ptx_reg from[TG_PTX_MOST_BROUGHT], to; /* source and destination addresses */
    /* for multiplying: address of the thread's first factor */
    tg_ptx_reg first;
} tg_ptx_tile;

typedef struct tg_ptx_tiled {
    const struct tg_inst_dot *dot;
    tg_ptx_dot_side sides[2];
    tg_ptx_tile tile[2];
    tg_ptx_staging staging;
    int64_t counts[3];   /* of tiles: stacks, along rows, along columns */
    tg_ptx_reg index[3]; /* .b32: of the current tile: stack, first row, first column */
    tg_ptx_reg left;     /* .b32: indices of k left, from the first one in shared memory on */
    bool has_left;       /* false: whole tiles always remain, and `left` is not set */
    tg_ptx_reg place[2]; /* .b32: row and column of the thread's first sum within the tile */
    int rows, columns;   /* extents of its grid of sums */
    int64_t row_at[TG_PTX_MOST_ALONG], column_at[TG_PTX_MOST_ALONG]; /* offsets from `place` */
    tg_ptx_reg sum[TG_PTX_SUMS];                                     /* row-major */
} tg_ptx_tiled;

/* A variant: what it does with tiles in shared memory. */
typedef struct tg_ptx_tile_use {
    /* Sets staging, and extent, pitches and bytes of both tiles.  Returns false if the variant does
     * not fit this product. */
    bool (*measure)(const tg_ptx_emitter *em, tg_ptx_tiled *t);
    /* Sets place, rows, columns, row_at and column_at, and `first` of both tiles.  `memory` is the
     * start of shared memory. */
    void (*begin)(tg_ptx_emitter *em, tg_ptx_tiled *t, tg_ptx_reg memory);
    /* Adds the products of the tiles to the sums.  All threads run it together, between two
     * barriers. */
    void (*multiply)(tg_ptx_emitter *em, const tg_ptx_tiled *t);
} tg_ptx_tile_use;

/* Short rows: tg_ptx_with is op(a, b) with an immediate b; tg_ptx_beyond is base + a * by + more,
 * .b64 from .b32. */
tg_ptx_reg tg_ptx_with(tg_ptx_emitter *em, tg_ptx_class class, const char *op, tg_ptx_reg a,
                       int64_t b);
tg_ptx_reg tg_ptx_beyond(tg_ptx_emitter *em, tg_ptx_reg base, tg_ptx_reg a, int64_t by,
                         int64_t more);

static inline int tg_ptx_log2(int64_t power) { return __builtin_ctzll((unsigned long long)power); }

#endif
