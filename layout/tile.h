/* Tiles: a layout of an array of blocks, from the layout of a block and that of the grid of blocks. */
#ifndef TG_LAYOUT_TILE_H
#define TG_LAYOUT_TILE_H

#include "layout/axe.h"
#include "layout/group.h"

/* A layout of an array of a shape. */
typedef struct tg_shaped {
    const tg_axe *axe;
    const tg_shape *shape;
} tg_shaped;

/* The Kronecker product: the array has outer.shape[i] * inner.shape[i] elements in dimension i, and its
 * element (.., p_i * inner.shape[i] + q_i, ..) is at
 *
 *     outer(p) * span + inner(q)
 *
 * on each axis, where span is tg_axe_span of `inner`, which counts its copies too; so copies and the offset
 * of `outer` are scaled as well.  A swizzle of `inner` becomes one of all addresses.  Grouped by
 * (outer.shape[0], inner.shape[0], outer.shape[1], ..).
 *
 * TG_ERR_INVALID if the ranks differ, a layout does not admit its shape, or the result overflows;
 * TG_ERR_UNSUPPORTED if a shape does not group its layout (layout/group.h), or `outer` has a swizzle. */
tg_status tg_axe_tile(const tg_shaped *outer, const tg_shaped *inner, tg_axe *out, tg_diags *diags);

/* `inner` tiled by a row-major grid on an axis of memory, up to `shape`, of which each extent is a multiple of
 * that of inner.shape.  Errors as above. */
tg_status tg_axe_tile_to(const tg_shaped *inner, const tg_shape *shape, tg_axis axis, tg_axe *out,
                         tg_diags *diags);

/* The direct sum: as tg_axe_tile, with outer(p) + inner(q).  So `outer` may step less than over `inner`. */
tg_status tg_axe_sum(const tg_shaped *outer, const tg_shaped *inner, tg_axe *out, tg_diags *diags);

/* (outer[0], inner[0], outer[1], ..).  TG_ERR_INVALID if the ranks differ. */

tg_status tg_shapes_alternate(const tg_shape *outer, const tg_shape *inner, tg_extents *out,
                              tg_diags *diags);

#endif
