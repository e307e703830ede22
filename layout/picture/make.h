/* What both kinds of pictures are made of. */
#ifndef TG_LAYOUT_PICTURE_MAKE_H
#define TG_LAYOUT_PICTURE_MAKE_H

#include "layout/axe.h"
#include "layout/picture/picture.h"

/* Whether the layout admits the shape, and has few enough elements and copies for a picture. */
tg_status tg_picture_check(const tg_axe *axe, const tg_shape *shape, tg_diags *diags);

/* Makes rows * columns holes, from the extents of the sides.  TG_ERR_UNSUPPORTED for too many. */
tg_status tg_picture_begin(tg_picture *picture, tg_diags *diags);

/* Adds an axis to a side, inside of those that it has. */
void tg_picture_side_add(tg_picture_side *side, const char *name, int64_t first, int64_t extent);

#endif
