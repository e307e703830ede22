/* Dimensions in another order, and the part of a layout that is memory. */
#ifndef TG_LAYOUT_PERMUTE_H
#define TG_LAYOUT_PERMUTE_H

#include "layout/axe.h"
#include "layout/shape.h"

/* Dimension i of the result is dimension permutation[i] of an array of `shape`, as numpy.transpose.
 * TG_ERR_INVALID if that is no permutation, or the shape is not admitted; TG_ERR_UNSUPPORTED if the shape does
 * not group the layout (layout/group.h). */
tg_status tg_axe_permute(const tg_axe *axe, const tg_shape *shape, const tg_shape *permutation,
                         tg_axe *out, tg_diags *diags);

/* What one thread of one device holds: the layout without iters and offsets of threads and devices.  Its
 * elements are those of the digits that are left, in their order. */
void tg_axe_storage(const tg_axe *axe, tg_axe *out);

#endif
