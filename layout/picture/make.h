/* What all kinds of pictures are made of. */
#ifndef TG_LAYOUT_PICTURE_MAKE_H
#define TG_LAYOUT_PICTURE_MAKE_H

#include "layout/axe.h"
#include "layout/picture/picture.h"

/* How many elements, or places, one cell stands for: a block of rows and columns. */
typedef struct tg_picture_join {
    int rows, columns; /* at least 1 */
} tg_picture_join;

/* Whether the layout admits the shape, and has few enough elements and copies for a picture. */
tg_status tg_picture_check(const tg_axe *axe, const tg_shape *shape, tg_diags *diags);

/* The product of the extents; INT64_MAX where it does not fit. */
int64_t tg_picture_side_size(const tg_picture_side *side);

/* Makes rows * columns holes, from the extents of the sides.  TG_ERR_UNSUPPORTED for too many. */
tg_status tg_picture_begin(tg_picture *picture, tg_diags *diags);

/* Adds an axis to a side, inside of those that it has. */
void tg_picture_side_add(tg_picture_side *side, const char *name, int64_t first, int64_t extent);

/* Makes rows or columns of a side, of `step` each.  False if the step does not divide its innermost
 * extent. */
bool tg_picture_side_join(tg_picture_side *side, int64_t step);

#endif
