/* Elements of another width: each as several smaller ones, or several as one. */
#ifndef TG_LAYOUT_RECAST_H
#define TG_LAYOUT_RECAST_H

#include "layout/axe.h"

/* Each element becomes `count` that lie side by side on an axis, on which a step is now one of these: the axis
 * must be of memory, and count elements or bytes.  A swizzle there moves the same bytes.
 * TG_ERR_INVALID for another axis, a count below 1, or coordinates that do not fit; TG_ERR_UNSUPPORTED if there
 * is a swizzle and the count is no power of two. */
tg_status tg_axe_unpack(const tg_axe *axe, tg_axis axis, int64_t count, tg_axe *out,
                        tg_diags *diags);

/* The opposite: each `count` elements, which lie side by side on the axis, become one.  TG_ERR_UNSUPPORTED if they
 * do not, if one that becomes the first of them is not at a multiple of `count`, or if a swizzle takes them
 * apart. */
tg_status tg_axe_pack(const tg_axe *axe, tg_axis axis, int64_t count, tg_axe *out, tg_diags *diags);

/* The axis of memory that counts elements or bytes, if the layout uses just one; m if it uses none.
 * TG_ERR_UNSUPPORTED if it uses several. */
tg_status tg_axe_packed_axis(const tg_axe *axe, tg_axis *out, tg_diags *diags);

#endif
