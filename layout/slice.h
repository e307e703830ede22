/* Slices: the layout of a part of an array. */
#ifndef TG_LAYOUT_SLICE_H
#define TG_LAYOUT_SLICE_H

#include "layout/axe.h"
#include "layout/shape.h"

/* `out` has the elements first[i] .. first[i] + extent[i] - 1 of each dimension i of `shape`, where the
 * layout has them: out(u) = axe(first + u), of the shape `extent`.  Copies stay, and a swizzle stays that of
 * absolute addresses.
 *
 * TG_ERR_INVALID if the layout does not admit the shape, or if the part is not in it.
 * TG_ERR_UNSUPPORTED if the shape does not group the layout (layout/group.h) even where dimensions of which
 * the part is contiguous are one, or if the part has no layout: if in a dimension no iters take the steps
 * that it takes.  It is exact: a slice within a dimension that has a layout is found. */
tg_status tg_axe_slice(const tg_axe *axe, const tg_shape *shape, const tg_shape *first,
                       const tg_shape *extent, tg_axe *out, tg_diags *diags);

/* The same of iters by themselves: `out` gets iters that move as d does from element `first` on, over
 * `extent` elements, in addition to those that it has. */
tg_status tg_iters_slice(const tg_iters *d, int64_t first, int64_t extent, tg_iters *out,
                         tg_diags *diags);

#endif
