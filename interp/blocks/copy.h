/* Copies of strided views.  What all work on blocks has in common: interp/blocks/blocks.h. */
#ifndef TG_INTERP_BLOCKS_COPY_H
#define TG_INTERP_BLOCKS_COPY_H

#include "ir/view.h"

/* Copies `src` to `dst`, whose strides (elements, none 0 where the extent exceeds 1) are given.
 * `bytes` is the element size: 1, 2, 4 or 8.  Source and destination do not overlap.
 * Tiles transposes so that both sides stay in cache. */
void tg_copy_view(void *dst, const int64_t *dst_stride, const tg_view *src, size_t bytes);

#endif
