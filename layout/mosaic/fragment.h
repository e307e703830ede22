/* Layouts of arrays that the threads of a warpgroup hold in registers, and of arrays in tensor memory,
 * as Mosaic GPU has them.  (JAX, jax/experimental/mosaic/gpu: fragmented_array.py, tcgen05.py.) */
#ifndef TG_LAYOUT_MOSAIC_FRAGMENT_H
#define TG_LAYOUT_MOSAIC_FRAGMENT_H

#include "layout/mosaic/tiled.h"

typedef enum tg_fragment_kind {
    TG_FRAGMENT_TILED,   /* TiledLayout */
    TG_FRAGMENT_TMEM,    /* TMEMLayout: warps are the quarters of tensor memory, lanes its lanes */
    TG_FRAGMENT_STRIDED, /* WGStridedFragLayout: vectors, dealt to threads in turn */
    TG_FRAGMENT_SPLAT    /* WGSplatFragLayout: one value, which every thread holds */
} tg_fragment_kind;

typedef struct tg_fragment {
    tg_fragment_kind kind;
    tg_tiled tiled;        /* of TILED and TMEM */
    tg_shape shape;        /* of STRIDED and SPLAT */
    int64_t vector_length; /* of STRIDED */
} tg_fragment;

/* Whether the layout is one: as tg_tiled_check; of STRIDED, whether 128 vectors divide the shape.
 * TG_ERR_INVALID with the reason. */
tg_status tg_fragment_check(const tg_fragment *fragment, tg_diags *diags);

/* The functions below take a layout that tg_fragment_check accepts. */

/* Whether an array of a shape can have the layout, with elements of `bits` in tensor memory; of other
 * kinds, bits do not count. */
tg_status tg_fragment_fits(const tg_fragment *fragment, const tg_shape *shape, int bits,
                           tg_diags *diags);

/* The columns of tensor memory, of 32 bits, that an array takes.  TG_ERR_INVALID if it does not fit. */
tg_status tg_tmem_columns(const tg_tiled *tiled, const tg_shape *shape, int bits, int64_t *out,
                          tg_diags *diags);

/* The layout of a reduction of axes of an array of a rank, ascending.  Axes before those of the tiles
 * leave a tiled layout as it is.  With `keep`, reduced axes stay, of extent 1.
 *
 * TG_ERR_UNSUPPORTED if the result is no such layout: of one in tensor memory, of a tiled one with `keep`,
 * or of a strided one if what follows the last axis is no multiple of 128 vectors. */
tg_status tg_fragment_reduce(const tg_fragment *fragment, int rank, const int *axes, int count,
                             bool keep, tg_fragment *out, tg_diags *diags);

/* The layout of the same elements, in row-major order, as an array of another shape.
 *
 * TG_ERR_UNSUPPORTED if no such layout is known: a tiled one stays only if the minor dimensions of its
 * first tile stay. */
tg_status tg_fragment_reshape(const tg_fragment *fragment, const tg_shape *from, const tg_shape *to,
                              tg_fragment *out, tg_diags *diags);

bool tg_fragment_same(const tg_fragment *a, const tg_fragment *b);

#endif
