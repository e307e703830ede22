/* Transforms of references to shared memory: how Mosaic GPU lays an array out there.  Each
 * transform is applied to the array that the one before it made; the last array is row-major in
 * memory.  (JAX, jax/_src/pallas/mosaic_gpu/core.py;
 * jax/experimental/mosaic/gpu/launch_context.py.) */
#ifndef TG_LAYOUT_MOSAIC_TRANSFORMS_H
#define TG_LAYOUT_MOSAIC_TRANSFORMS_H

#include "layout/axe.h"
#include "layout/mosaic/integers.h"

typedef enum tg_transform_kind {
    TG_TRANSFORM_TILE,      /* (.., M, N) -> (.., M / t0, N / t1, t0, t1) */
    TG_TRANSFORM_TRANSPOSE, /* dimension i becomes what was dimension p[i] */
    TG_TRANSFORM_SWIZZLE    /* chunks of 16 bytes change places within a row, by the row */
} tg_transform_kind;

typedef struct tg_transform {
    tg_transform_kind kind;
    tg_shape list; /* the tile, or the permutation */
    int bytes;     /* of a swizzle: 16 (none), 32, 64 or 128 */
} tg_transform;

enum { TG_TRANSFORMS_MAX = 8 };

typedef struct tg_transforms {
    int count;
    tg_transform list[TG_TRANSFORMS_MAX];
} tg_transforms;

/* The shape in memory of an array with elements of `bits`.  TG_ERR_INVALID with the reason: a tile
 * that does not divide, an invalid permutation, two swizzles, a swizzle of a last dimension of
 * another size, a transform that moves or cuts a swizzled dimension, bits that are no power of 2 up
 * to 128.  TG_ERR_UNSUPPORTED for more than TG_SHAPE_MAX_RANK dimensions. */
tg_status tg_transforms_shape(const tg_transforms *transforms, const tg_shape *shape, int bits,
                              tg_shape *out, tg_diags *diags);

/* The layout of the array in memory, on axis m, in elements from the start; the start is a multiple
 * of 8 rows of the swizzle.  Errors as above. */
tg_status tg_transforms_to_axe(const tg_transforms *transforms, const tg_shape *shape, int bits,
                               tg_axe *out, tg_diags *diags);

/* The tile of the transposed array, where no dimension that is tiled becomes one that is not.
 * TG_ERR_INVALID for an invalid permutation, TG_ERR_UNSUPPORTED if a dimension does. */
tg_status tg_tile_transpose(const tg_shape *tile, const tg_shape *permutation, tg_shape *out,
                            tg_diags *diags);

/* The tile of the array with groups of neighbouring dimensions made one: groups[i] dimensions
 * each.  In each group the tile must be (1, .., 1, t, all, .., all), all of it tiled or none.
 * TG_ERR_INVALID for groups that do not make up the shape or a tile that does not divide it,
 * TG_ERR_UNSUPPORTED for other tiles. */
tg_status tg_tile_collapse(const tg_shape *tile, const tg_shape *shape, const tg_shape *groups,
                           tg_shape *out, tg_diags *diags);

/* The swizzle that fits the dimension of the tile that is contiguous in memory, `minor` from the
 * end (-1: the last): 32, 64 or 128 bytes if that is its size, else 16: none.  TG_ERR_INVALID if
 * the tile has more dimensions than the array, `rank`, or that dimension is not of whole bytes. */
tg_status tg_tile_swizzle(const tg_shape *tile, int rank, int minor, int bits, int *out,
                          tg_diags *diags);

/* Transforms of the transposed array, with which it has the same elements at the same addresses.
 * Errors of tg_tile_transpose; TG_ERR_UNSUPPORTED if there are more than TG_TRANSFORMS_MAX. */
tg_status tg_transforms_transpose(const tg_transforms *transforms, const tg_shape *permutation,
                                  tg_transforms *out, tg_diags *diags);

/* Transforms of the array with groups of dimensions made one, with which it has the same elements
 * at the same addresses.  Errors of tg_tile_collapse; TG_ERR_UNSUPPORTED if a transpose follows a
 * tile, or if the last dimension changes and is swizzled. */
tg_status tg_transforms_collapse(const tg_transforms *transforms, const tg_shape *shape,
                                 const tg_shape *groups, tg_transforms *out, tg_diags *diags);

/* Whether the part of an array from `first` on, of `extent`, has whole tiles and all of a dimension
 * that is swizzled.  TG_ERR_INVALID with the reason, or as tg_transforms_shape. */
tg_status tg_transforms_check_slice(const tg_transforms *transforms, const tg_shape *shape,
                                    int bits, const tg_shape *first, const tg_shape *extent,
                                    tg_diags *diags);

#endif
