/* Whether a layout is a tile or a sum, and of what: the inverse of layout/tile.h. */
#ifndef TG_LAYOUT_TILE_OF_H
#define TG_LAYOUT_TILE_OF_H

#include "layout/tile.h"

/* What is sought: one that gives `whole`, tiled with the known one, or added to it. */
typedef enum tg_joined { TG_JOINED_TILE, TG_JOINED_SUM } tg_joined;

/* The outer layout, of the shape whole.shape[i] / inner.shape[i], that gives `whole` with `inner` inside.  A
 * swizzle of `whole` must be that of `inner`.
 *
 * TG_ERR_INVALID if shapes do not divide, or are not admitted.  TG_ERR_UNSUPPORTED if there is none, with the
 * reason: the shapes do not group the layout, the inner iters differ, strides, copies or offsets are no
 * multiples of the span of `inner`.  It is exact but for copies that overlap (layout/minkowski.h). */
tg_status tg_axe_outer_of(const tg_shaped *whole, const tg_shaped *inner, tg_joined how,
                          tg_axe *out, tg_diags *diags);

/* The inner layout, of the shape whole.shape[i] / outer.shape[i], that gives `whole` with `outer` around it.  It
 * has the swizzle of `whole`.  Errors as above. */
tg_status tg_axe_inner_of(const tg_shaped *whole, const tg_shaped *outer, tg_joined how,
                          tg_axe *out, tg_diags *diags);

#endif
