/* XLA's gather (ir/gather.h).  Common to all work on blocks: interp/blocks/blocks.h. */
#ifndef TG_INTERP_BLOCKS_GATHER_H
#define TG_INTERP_BLOCKS_GATHER_H

#include "ir/gather.h"
#include "ir/type.h"
#include "ir/view.h"

/* `indices` is i32 (carrier); `out` is dense with the result's shape.  If a slice reaches outside
 * the operand: with fill = NULL its start is clamped, else the whole slice is *fill. */
void tg_gather(const tg_gather_shape *g, const tg_view *operand, const tg_view *indices,
               const tg_type *result, size_t bytes, const void *fill, void *out);

#endif
