/* Copies of strided views.  Common to all work on blocks: interp/blocks/blocks.h. */
#ifndef TG_INTERP_BLOCKS_COPY_H
#define TG_INTERP_BLOCKS_COPY_H

#include "ir/view.h"

/* Copies `src` to `dst`, whose strides (in elements, none 0 where the size exceeds 1) are given.
 * `bytes` is the element size: 1, 2, 4 or 8.  Source and destination must not overlap.  Copies
 * transposes in tiles, so that both sides stay in cache. */
void tg_copy_view(void *dst, const int64_t *dst_stride, const tg_view *src, size_t bytes);

#endif
