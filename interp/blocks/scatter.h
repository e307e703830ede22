/* XLA's scatter (ir/gather.h).  What all work on blocks has in common: interp/blocks/blocks.h. */
#ifndef TG_INTERP_BLOCKS_SCATTER_H
#define TG_INTERP_BLOCKS_SCATTER_H

#include "interp/elementwise/elementwise.h"
#include "ir/gather.h"
#include "ir/view.h"

/* `indices` is i32 (carrier).  Combines `target` (whose memory is written) with the updates in
 * their order: element = op(element, update), rounded to `dtype`, or the update itself where `op`
 * is TG_OP_COUNT.  Outside the target: the start of the slice is clamped, or else the whole slice
 * left out. */
void tg_scatter(const tg_elementwise *lanes, tg_opcode op, tg_dtype dtype, const tg_gather_shape *g,
                const tg_view *indices, const tg_view *updates, bool clamps, tg_view *target);

#endif
