/* Layouts of Mosaic GPU as JAX prints them. */
#ifndef TG_LAYOUT_MOSAIC_FRAGMENT_TEXT_H
#define TG_LAYOUT_MOSAIC_FRAGMENT_TEXT_H

#include "layout/mosaic/fragment.h"

/* Reads one of
 *
 *     TiledLayout(tiling=Tiling(tiles=((64, 8), (16, 8), (8, 8), (2,))), warp_dims=(-7,),
 *                 lane_dims=(-3, Replicated(times=4)), vector_dim=-1)
 *     TMEMLayout(..), with what TiledLayout has
 *     WGStridedFragLayout(shape=(128, 8), vec_size=4)
 *     WGSplatFragLayout(shape=(128, 8))
 *
 * and checks it as tg_fragment_check does; names of arguments may be left out.  TG_ERR_SYNTAX
 * for a text that is not of this form, with the offset in `text`; TG_ERR_INVALID for an invalid
 * layout. */
tg_status tg_fragment_read(const char *text, size_t length, tg_fragment *out, tg_diags *diags);

/* Reads "Tiling(tiles=((64, 8), (2,)))", checked as tg_tiling_check does.  Errors as above. */
tg_status tg_tiling_read(const char *text, size_t length, tg_tiling *out, tg_diags *diags);

/* Appends the text above, on one line. */
void tg_fragment_print(const tg_fragment *fragment, tg_text *out);

#endif
