/* Division: a layout as tiles, and the rest.  (media/docs/cpp/cute/02_layout_algebra.md, "Division") */
#ifndef TG_LAYOUT_CUTE_DIVIDE_H
#define TG_LAYOUT_CUTE_DIVIDE_H

#include "layout/cute/tiler.h"

/* A after (B, complement of B up to the size of A): mode 0 is the tile, mode 1 goes over the tiles.  With a
 * tiler by mode, mode by mode; modes beyond it stay.  A may have a swizzle and an offset, the tiler not.
 * Refuses what the complement or the composition refuse. */
tg_status tg_cute_divide(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags);

/* ((tile, tile, ..), (rest, rest, .., modes beyond)), of what tg_cute_divide gives for each tile. */
tg_status tg_cute_zipped_divide(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags);

/* ((tile, tile, ..), rest, rest, .., modes beyond) */
tg_status tg_cute_tiled_divide(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags);

/* (tile, tile, .., rest, rest, .., modes beyond) */
tg_status tg_cute_flat_divide(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags);

#endif
