/* Pictures of the hardware. */
#ifndef TG_LAYOUT_PICTURE_PLACES_H
#define TG_LAYOUT_PICTURE_PLACES_H

#include "layout/axe.h"
#include "layout/picture/make.h"

/* The hardware: each cell is a place, and says which element is there, "+n" for n more.  Rows are
 * devices and threads, columns are memory.  Without threads, rows are the first axis of memory; if
 * that is the only one, and no axis of rows itself, a row is a line of shared memory: 128 bytes, or
 * 32 elements where element_bytes is 0.  Cells have the colour of the element's index in dimension
 * `by`.
 *
 * The places of a joined cell have, in order, the elements of a block of the array, or all of them
 * none.
 *
 * TG_ERR_INVALID for a shape that the layout does not admit, a dimension that it does not have, or
 * places that cannot be joined; TG_ERR_UNSUPPORTED for more than TG_PICTURE_MOST_CELLS cells,
 * TG_ERR_NO_MEMORY; then there is nothing to free. */
tg_status tg_picture_of_places(const tg_axe *axe, const tg_shape *shape, int by, int element_bytes,
                               tg_picture_join join, tg_picture *out, tg_diags *diags);

#endif
