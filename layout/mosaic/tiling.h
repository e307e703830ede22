/* Tilings of Mosaic GPU: a list of tiles, each applied to the last dimensions of what the one before
 * it made.  A tile of (t0, t1) turns (.., M, N) into (.., M / t0, N / t1, t0, t1).
 * (JAX, jax/experimental/mosaic/gpu/fragmented_array.py, class Tiling.) */
#ifndef TG_LAYOUT_MOSAIC_TILING_H
#define TG_LAYOUT_MOSAIC_TILING_H

#include "layout/mosaic/integers.h"

/* Of all tiles together, dimensions that tg_tiling_check accepts; there is room for a few more, which
 * operations add. */
enum { TG_TILING_MOST_DIMS = 60, TG_TILING_MAX_TILES = 64 };

typedef struct tg_tiling {
    int count;
    tg_shape tiles[TG_TILING_MAX_TILES];
} tg_tiling;

/* Whether ranks do not grow from tile to tile, and extents are at least 1.  TG_ERR_INVALID with the
 * reason; TG_ERR_UNSUPPORTED if a tiled array has more dimensions than tg_integers holds. */
tg_status tg_tiling_check(const tg_tiling *tiling, tg_diags *diags);

/* The functions below take a tiling that tg_tiling_check accepts.  TG_ERR_INVALID if it does not apply:
 * the rank is too low, or a tile does not divide an extent. */

/* The shape of an array after tiling. */
tg_status tg_tiling_tile_shape(const tg_tiling *tiling, const tg_shape *shape, tg_integers *out,
                               tg_diags *diags);

/* The shape of an array whose tiled shape is `dims`. */
tg_status tg_tiling_untile_shape(const tg_tiling *tiling, const tg_integers *dims, tg_shape *out,
                                 tg_diags *diags);

/* Strides of the tiled array in the memory of an array with `strides`, one for each dimension.
 * TG_ERR_INVALID also if a stride does not fit in 63 bits. */
tg_status tg_tiling_tile_strides(const tg_tiling *tiling, const tg_shape *strides, tg_integers *out,
                                 tg_diags *diags);

/* The coordinate of an element in the tiled array.  TG_ERR_INVALID also for a negative index. */
tg_status tg_tiling_tile_indices(const tg_tiling *tiling, const tg_shape *at, tg_integers *out,
                                 tg_diags *diags);

/* The coordinate of an element from that in the tiled array. */
tg_status tg_tiling_untile_indices(const tg_tiling *tiling, const tg_integers *at, tg_shape *out,
                                   tg_diags *diags);

/* Drops tiles that cut nothing, and leading extents of 1 of all tiles but the first; (1) stays of a
 * tile of ones.  The tiled array loses dimensions of extent 1 only. */
void tg_tiling_canonize(tg_tiling *tiling);

/* Which dimension of an array of a rank each dimension of the tiled array comes from.  Returns the rank
 * of the tiled array.  The rank is at least that of the first tile. */
int tg_tiling_origins(const tg_tiling *tiling, int rank, int origins[TG_INTEGERS_MAX]);

/* Drops a dimension of the first tile.  The result has no tiles if it was the only one. */
void tg_tiling_remove_dimension(tg_tiling *tiling, int dimension);

/* Appends "((64, 8), (16, 8), (2,))". */
void tg_tiling_print(const tg_tiling *tiling, tg_text *out);

#endif
