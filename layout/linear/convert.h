/* Axe layouts and linear layouts that say the same: an element is at an index exactly if the index leads to
 * the element.
 *
 * Dimensions register, lane, warp, block, offset, row and col are axes reg, lane, warp, block, m, TLane and
 * TCol; others have the name of the axis. */
#ifndef TG_LAYOUT_LINEAR_CONVERT_H
#define TG_LAYOUT_LINEAR_CONVERT_H

#include "layout/axe.h"
#include "layout/linear/linear.h"
#include "layout/shape.h"

/* Out dimensions dim0, dim1, .. of that shape, of as many elements as the layout has.  In dimensions are the
 * axes that are used; where these are all of registers and threads of a cluster: register, lane, warp and
 * block; where they are m, with or without blocks: offset and block.
 *
 * It can be said exactly if all indices of the axes hold one element each, and extents and, but under a
 * swizzle, strides are powers of two.  TG_ERR_UNSUPPORTED with the reason if not; TG_ERR_INVALID if the shape is not of that size. */
tg_status tg_linear_from_axe(const tg_axe *axe, const tg_shape *shape, tg_linear *out,
                             tg_diags *diags);

/* The canonical layout, with the extents of the out dimensions as its shape.  It can be said exactly if each
 * basis is 0 or one bit, and each bit of the out dimensions is one basis; or if that is so after a swizzle of
 * one memory axis.  TG_ERR_UNSUPPORTED with the reason if not; TG_ERR_INVALID for a dimension that is no
 * axis. */
tg_status tg_linear_to_axe(const tg_linear *linear, tg_axe *axe, tg_shape *shape, tg_diags *diags);

/* The axis of a dimension, or TG_AXIS_NONE; the name of the dimension of an axis. */
tg_axis tg_linear_axis_of(const char *dim);
const char *tg_linear_dim_of(tg_axis axis);

#endif
