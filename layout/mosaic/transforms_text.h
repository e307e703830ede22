/* Transforms of references as JAX prints them. */
#ifndef TG_LAYOUT_MOSAIC_TRANSFORMS_TEXT_H
#define TG_LAYOUT_MOSAIC_TRANSFORMS_TEXT_H

#include "layout/mosaic/transforms.h"

/* Reads a transform, or a tuple of some:
 *
 *     (TilingTransform(tiling=(8, 64)), TransposeTransform(permutation=(1, 0, 2, 3)),
 *      SwizzleTransform(swizzle=128))
 *
 * Names of arguments may be left out, and "TileTransform" is one of TilingTransform.  TG_ERR_SYNTAX with
 * the offset in `text`; TG_ERR_UNSUPPORTED for more than TG_TRANSFORMS_MAX. */
tg_status tg_transforms_read(const char *text, size_t length, tg_transforms *out, tg_diags *diags);

/* Appends the tuple. */
void tg_transforms_print(const tg_transforms *transforms, tg_text *out);

#endif
