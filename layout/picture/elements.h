/* Pictures of the logical array. */
#ifndef TG_LAYOUT_PICTURE_ELEMENTS_H
#define TG_LAYOUT_PICTURE_ELEMENTS_H

#include "layout/axe.h"
#include "layout/picture/make.h"

/* The logical array: each cell is an element, and says where it is, with memory below threads and
 * devices.  The last dimension of the shape is the columns, all others are the rows.  Cells have
 * the colour of their first place on axis `by`, or, if that is TG_AXIS_NONE, on the first of
 * devices, warps, lanes and memory that the layout has.
 *
 * The elements of a joined cell are, in order, one step apart on one axis.
 *
 * TG_ERR_INVALID for a shape that the layout does not admit, or elements that cannot be joined;
 * TG_ERR_UNSUPPORTED for more than TG_PICTURE_MOST_CELLS cells, TG_ERR_NO_MEMORY; then there is
 * nothing to free. */
tg_status tg_picture_of_elements(const tg_axe *axe, const tg_shape *shape, tg_axis by,
                                 tg_picture_join join, tg_picture *out, tg_diags *diags);

/* The same of two layouts: "=" in quiet cells where both have the element at the same places,
 * elsewhere where the first has it and, below, where the second has it: "0:1>4:0". */
tg_status tg_picture_of_difference(const tg_axe *first, const tg_axe *second, const tg_shape *shape,
                                   tg_axis by, tg_picture *out, tg_diags *diags);

#endif
