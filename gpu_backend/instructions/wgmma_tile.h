/* A product that becomes wgmma, tile by tile: what its parts share.
 *
 * The team's warpgroups make 64 rows each of a tile.  Of both factors, a chunk along k at a time lies in shared
 * memory, K-major and without swizzle: units of 16 bytes, neighbours along k; eight rows of one unit behind
 * each other; then the next eight rows; then the next unit. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_WGMMA_TILE_H
#define TG_GPU_BACKEND_INSTRUCTIONS_WGMMA_TILE_H

#include <stdint.h>

#include "gpu_backend/instructions/product_parts.h"

enum {
    TG_PTX_WGMMA_ROWS = 64,        /* of a warpgroup */
    TG_PTX_WGMMA_COLUMNS = 64,     /* at most */
    TG_PTX_WGMMA_STEP_BYTES = 32,  /* along k, of an instruction */
    TG_PTX_WGMMA_CHUNK_BYTES = 64, /* along k, at most */
    TG_PTX_WGMMA_UNIT = 16,        /* bytes */
    TG_PTX_WGMMA_SUMS = 32         /* the most registers of a thread's sum */
};

/* A factor: its matrix, and its part of a tile. */
typedef struct tg_ptx_wgmma_side {
    tg_ptx_matrix matrix;
    int64_t rows;      /* along m or n, in all */
    int64_t tile_rows; /* of a tile */
    size_t offset;     /* of the tile from `memory` on */
    tg_ptx_reg first;  /* .b32: the tile's first row */
} tg_ptx_wgmma_side;

typedef struct tg_ptx_wgmma_tiles {
    const struct tg_inst_async *product;
    tg_dtype factor, result;
    int64_t k;
    int64_t chunk_bytes; /* a power of two */
    int element_bytes;   /* of a factor */
    tg_ptx_wgmma_side sides[2];
    tg_ptx_matrix sum;
    tg_ptx_reg memory;                  /* .b64: address of the team's tiles */
    tg_ptx_reg descriptor[2];           /* .b64: of the first instruction of a chunk */
    tg_ptx_reg row, column;             /* .b32: of the thread's first element of the sum */
    tg_ptx_reg chunk;                   /* .b32: number of the chunk */
    tg_ptx_reg sums[TG_PTX_WGMMA_SUMS]; /* .f32, or .b32: of f16, two each */
    int sum_count;
} tg_ptx_wgmma_tiles;

#endif
