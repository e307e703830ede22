/* Products: a layout repeated over another.  (media/docs/cpp/cute/02_layout_algebra.md, "Product") */
#ifndef TG_LAYOUT_CUTE_PRODUCT_H
#define TG_LAYOUT_CUTE_PRODUCT_H

#include "layout/cute/tiler.h"

/* (A, A* after B), where A* is the complement of A up to the size of A times the cosize of B: mode 0 is A,
 * mode 1 goes over its repetitions, each at another place.  With a tiler by mode, mode by mode; modes
 * beyond it stay.  A may have a swizzle and an offset, the tiler not.  Refuses what the complement or the
 * composition refuse; TG_ERR_INVALID also if repetitions would overlap, as CuTe's do
 * then: if gaps of A that are not filled evenly leave too few places, or B goes up and down in gaps. */
tg_status tg_cute_product(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags);

/* Regrouped as the divisions of the same names: ((A, A, ..), (repetitions, ..)), and so on. */
tg_status tg_cute_zipped_product(const tg_cute *a, const tg_tiler *b, tg_cute *out,
                                 tg_diags *diags);
tg_status tg_cute_tiled_product(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags);
tg_status tg_cute_flat_product(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags);

/* The product with mode i of A and mode i of the repetitions as mode i: B is a grid of blocks A.  The one
 * of lower rank gets modes 1:0. */
tg_status tg_cute_blocked_product(const tg_cute *a, const tg_cute *b, tg_cute *out,
                                  tg_diags *diags);

/* As tg_cute_blocked_product with the repetitions first in each mode: blocks are interleaved. */
tg_status tg_cute_raked_product(const tg_cute *a, const tg_cute *b, tg_cute *out, tg_diags *diags);

#endif
