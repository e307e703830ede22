/* Reduction and broadcast: dimensions that go, and dimensions that come. */
#ifndef TG_LAYOUT_REDUCE_H
#define TG_LAYOUT_REDUCE_H

#include "layout/axe.h"
#include "layout/shape.h"

typedef uint32_t tg_dim_set; /* a set of dimensions: bit i for dimension i */

/* The layout of the result where dimensions of an array are reduced and the threads that reduced together
 * all hold the result: iters of threads and devices in those dimensions become copies, iters of memory
 * vanish.  On an axis of memory on which some vanish, the rest is renumbered: from the least coordinate of
 * the axis on, in the order that there was, without gaps.  So it is also the layout that an operand must
 * have to be broadcast along these dimensions to an array of layout `axe` without leaving its thread.
 *
 * The dimensions are gone from the shape, or have extent 1: to a layout that is the same.
 * TG_ERR_INVALID if the layout does not admit the shape, or a dimension is none.  TG_ERR_UNSUPPORTED if the
 * shape does not group the layout (layout/group.h); or if the axis that is renumbered has a swizzle, or
 * strides that are not more than smaller ones reach, so that there is no order. */
tg_status tg_axe_reduce(const tg_axe *axe, const tg_shape *shape, tg_dim_set dims, tg_axe *out,
                        tg_diags *diags);

/* The layout of an array of `shape` whose elements are, whatever their indices in `dims`, where `axe` has the
 * element with the other indices: iters of stride 0 come.  TG_ERR_INVALID if a dimension is none, or if the
 * shape without them is not admitted; TG_ERR_UNSUPPORTED if it does not group the layout. */
tg_status tg_axe_broadcast(const tg_axe *axe, const tg_shape *shape, tg_dim_set dims, tg_axe *out,
                           tg_diags *diags);

#endif
