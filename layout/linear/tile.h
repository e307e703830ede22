/* Tiles of register and memory layouts, grown factor by factor, then fitted to a tensor. */
#ifndef TG_LAYOUT_LINEAR_TILE_H
#define TG_LAYOUT_LINEAR_TILE_H

#include "layout/linear/linear.h"
#include "layout/shape.h"

/* "dim0" .. "dim15" */
const char *tg_tile_dim(int dim);

/* An order of the dimensions, the fastest first. */
typedef struct tg_tile_order {
    int rank, dims[TG_SHAPE_MAX_RANK];
} tg_tile_order;

/* Row-major: the last dimension first.  Or the two last dimensions exchanged. */
tg_tile_order tg_tile_row_major(int rank, bool is_row_major);

/* The order in which operand 0 (.., m, k) or 1 (.., k, n) has dimension k first. */
tg_tile_order tg_tile_k_first(int rank, int64_t op_index);

/* TG_ERR_INVALID if the list is no permutation of 0 .. rank - 1. */
tg_status tg_tile_order_of(const tg_shape *list, tg_tile_order *order, tg_diags *diags);

/* A tile of one element: in dimensions of these names, up to a NULL; out dimensions in this order. */
tg_status tg_tile_begin(const char *const *ins, const tg_tile_order *order, tg_linear *tile,
                        tg_diags *diags);

/* tile * identity of `size` indices from `in` to dimension `dim`. */
tg_status tg_tile_grow(tg_linear *tile, int64_t size, const char *in, int dim, tg_diags *diags);

/* tile * zeros of `size` indices: copies. */
tg_status tg_tile_repeat(tg_linear *tile, int64_t size, const char *in, int dim, tg_diags *diags);

/* Grows by sizes->extent[dim] in each dimension, in that order; repeats in dimension `repeated`, if that is
 * not -1. */
tg_status tg_tile_grow_all(tg_linear *tile, const tg_shape *sizes, const tg_tile_order *order,
                           int repeated, const char *in, tg_diags *diags);

/* Its out dimensions in another order. */
tg_status tg_tile_reorder(tg_linear *tile, tg_tile_order order, tg_diags *diags);

/* What a block of a tensor has: the extents, divided by the blocks of each dimension. */
void tg_tile_shape_of_block(const tg_shape *shape, const tg_linear *blocks, tg_shape *out);

/* Grows the first in dimension until no out dimension is smaller than the shape, in the order of the out
 * dimensions. */
tg_status tg_tile_not_smaller(tg_linear *tile, const tg_shape *shape, tg_diags *diags);

/* Cuts out dimensions to the shape: a basis that leads beyond it leads to 0 there. */
tg_status tg_tile_not_larger(tg_linear *tile, const tg_shape *shape, tg_diags *diags);

/* Repeats or cuts the tile to the shape of a block, and puts the blocks beside it; out dimensions become
 * dim0, dim1, ...  `tile` may be `out`. */
tg_status tg_tile_fit(const tg_linear *tile, const tg_linear *blocks, const tg_shape *shape,
                      tg_linear *out, tg_diags *diags);

#endif
