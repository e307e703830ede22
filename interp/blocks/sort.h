/* Sorting.  Common to all work on blocks: interp/blocks/blocks.h. */
#ifndef TG_INTERP_BLOCKS_SORT_H
#define TG_INTERP_BLOCKS_SORT_H

#include "ir/type.h"
#include "ir/view.h"

/* Sorts along `axis`, stably, in steps that share a workspace: tg_sort_start, then tg_sort_by for
 * each key from the last to the first, then tg_sort_apply for each operand.  All have the same
 * shape, with less than 2^32 elements along the axis.  -0 equals 0 and NaN is the greatest; with
 * `total` floats are ordered by sign, then magnitude, of their bits.  `out` is dense and must not
 * overlap `in`. */
size_t tg_sort_workspace(const tg_view *in, int axis);
void tg_sort_start(const tg_view *in, int axis, void *workspace);
void tg_sort_by(const tg_view *in, tg_dtype dtype, int axis, bool descending, bool total,
                void *workspace);
void tg_sort_apply(const tg_view *in, size_t bytes, int axis, void *out, void *workspace);

#endif
