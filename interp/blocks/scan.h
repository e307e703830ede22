/* Cumulative sums, products and extremes.  Common to all work on blocks: interp/blocks/blocks.h. */
#ifndef TG_INTERP_BLOCKS_SCAN_H
#define TG_INTERP_BLOCKS_SCAN_H

#include "interp/elementwise/elementwise.h"
#include "ir/view.h"

/* cumsum, cumprod, cummax, cummin along `axis`, sequentially from the first (or last) element, each
 * step rounded to `dtype`; `out` is dense and has the shape of `in`. */
size_t tg_scan_workspace(const tg_view *in, int axis, tg_dtype dtype);
void tg_scan(const tg_elementwise *lanes, tg_opcode op, tg_dtype dtype, const tg_view *in, int axis,
             bool reverse, void *out, void *workspace);

#endif
