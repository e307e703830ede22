/* XLA's scatter (ir/gather.h).  Common to all work on blocks: interp/blocks/blocks.h. */
#ifndef TG_INTERP_BLOCKS_SCATTER_H
#define TG_INTERP_BLOCKS_SCATTER_H

#include "interp/elementwise/elementwise.h"
#include "ir/gather.h"
#include "ir/view.h"

/* `indices` is i32 (carrier).  Combines `target` (whose memory is written) with the updates in
 * their order: element = op(element, update), rounded to `dtype`, or the update itself if `op` is
 * TG_OP_COUNT.  If a slice reaches outside the target, its start is clamped, or else the whole
 * slice is left out. */
void tg_scatter(const tg_elementwise *lanes, tg_opcode op, tg_dtype dtype, const tg_gather_shape *g,
                const tg_view *indices, const tg_view *updates, bool clamps, tg_view *target);

#endif
