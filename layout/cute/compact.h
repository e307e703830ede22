/* Layouts made from a shape. */
#ifndef TG_LAYOUT_CUTE_COMPACT_H
#define TG_LAYOUT_CUTE_COMPACT_H

#include "layout/cute/layout.h"

typedef enum tg_cute_order {
    TG_CUTE_LEFT, /* the first mode is the fastest: column-major */
    TG_CUTE_RIGHT /* the last is: row-major */
} tg_cute_order;

/* The layout of a shape whose strides are the products of the extents that are faster, times
 * `first`, as if there were no nesting.  With `still_units`, modes of one element get stride 0, as
 * CuTe does with static ones.  TG_ERR_INVALID if the shape is invalid or a stride does not fit. */
tg_status tg_cute_compact(const tg_tuple *shape, tg_cute_order order, int64_t first,
                          bool still_units, tg_cute *out, tg_diags *diags);

/* A layout of `count` elements of the shape, or fewer, spread evenly over the modes from the first
 * on: of each mode the greatest common divisor with what is left of the count.  So tiles of it fit
 * evenly.  TG_ERR_INVALID if the count is below 1 or the shape is invalid. */
tg_status tg_cute_distribute(const tg_tuple *shape, int64_t count, tg_cute *out, tg_diags *diags);

#endif
