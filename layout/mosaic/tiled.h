/* Tiled layouts of Mosaic GPU: an array is tiled; of the dimensions that result, some count the
 * warps of a warpgroup, some the lanes of a warp, and one the elements of a vector.  The rest,
 * row-major, is the array of registers of a thread, each of which is a vector.  (JAX,
 * jax/experimental/mosaic/gpu/fragmented_array.py, class TiledLayout.) */
#ifndef TG_LAYOUT_MOSAIC_TILED_H
#define TG_LAYOUT_MOSAIC_TILED_H

#include "layout/mosaic/tiling.h"

enum { TG_PARTITION_MAX = 16 };

/* A dimension of the tiled array, as a negative index from its end, or `times` copies:
 * Replicated. */
typedef struct tg_counted {
    int dim;       /* 0: copies */
    int64_t times; /* of copies */
} tg_counted;

/* Major to minor: the digits of the index of a warp or of a lane. */
typedef struct tg_partition {
    int count;
    tg_counted list[TG_PARTITION_MAX];
} tg_partition;

typedef struct tg_tiled {
    tg_tiling tiling;
    tg_partition warp, lane; /* their extents multiply to 4 and to 32 */
    int vector_dim;
} tg_tiled;

/* Whether the layout is valid.  TG_ERR_INVALID with the reason: a tiling that is invalid or does
 * not divide its own first tile, dimensions that are not negative, not of a tile, or used twice,
 * warps that are not 4, lanes that are not 32. */
tg_status tg_tiled_check(const tg_tiled *tiled, tg_diags *diags);

/* The functions below take a layout that tg_tiled_check accepts. */

/* The shape of the first tile, tiled: the last dimensions of any array that the layout tiles. */
void tg_tiled_suffix(const tg_tiled *tiled, tg_integers *out);

/* The extent of a part. */
int64_t tg_counted_extent(const tg_integers *suffix, const tg_counted *part);

/* The elements of a vector. */
int64_t tg_tiled_vector_length(const tg_tiled *tiled);

/* How many threads hold each element. */
int64_t tg_tiled_copies(const tg_tiled *tiled);

/* The shape of the array of registers: that of the tiled array, with 1 where warps, lanes or a
 * vector are counted.  TG_ERR_INVALID if the tiling does not apply. */
tg_status tg_tiled_registers(const tg_tiled *tiled, const tg_shape *shape, tg_integers *out,
                             tg_diags *diags);

/* The shape of the array that has these registers. */
tg_status tg_tiled_shape_of(const tg_tiled *tiled, const tg_integers *registers, tg_shape *out,
                            tg_diags *diags);

/* The element that a thread of the warpgroup (0 .. 127) holds as `value`: its register, in
 * row-major order, times the length of a vector, plus the place in the vector.  TG_ERR_INVALID if
 * there is no such thread or value. */
tg_status tg_tiled_element(const tg_tiled *tiled, const tg_shape *shape, int64_t thread,
                           int64_t value, tg_shape *out, tg_diags *diags);

/* Rewrites the layout, without change to the values that a thread holds, and their order: the
 * tiling is canonical, and warps and lanes count no dimension of extent 1.
 *
 * As in JAX, a vector of length 1 whose dimension goes away moves to the next that stays, and may
 * so become longer; but only if that leaves the order of values as it is, or else vectors keep
 * length 1. */
void tg_tiled_canonize(tg_tiled *tiled);

bool tg_tiled_same(const tg_tiled *a, const tg_tiled *b);

/* Drops a dimension of the first tile: what counted it becomes copies; if the vector did, vectors
 * have length 1.  The result is canonical.  TG_ERR_INVALID if there is no such dimension. */
tg_status tg_tiled_remove_dimension(tg_tiled *tiled, int dimension, tg_diags *diags);

/* The layout of a reduction of dimensions of the first tile. */
tg_status tg_tiled_reduce(const tg_tiled *tiled, const int *axes, int count, tg_tiled *out,
                          tg_diags *diags);

#endif
