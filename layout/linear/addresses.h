/* Where the registers of a linear layout are in the memory of another one. */
#ifndef TG_LAYOUT_LINEAR_ADDRESSES_H
#define TG_LAYOUT_LINEAR_ADDRESSES_H

#include "layout/linear/linear.h"
#include "layout/placement.h"

/* `registers`: register, lane, warp, .. -> dim0, ..; `memory`: offset, .. -> dim0, ...  Of copies
 * in memory, the first is taken; an in dimension that either lacks has one index.  TG_ERR_INVALID
 * if memory does not have all elements; TG_ERR_UNSUPPORTED for more than 32 lanes, or more
 * registers than a placement has.  The caller frees `out`. */
tg_status tg_linear_placement(const tg_linear *registers, const tg_linear *memory,
                              int element_bytes, tg_placement *out, tg_diags *diags);

#endif
