/* XLA's gather (ir/gather.h).  What all work on blocks has in common: interp/blocks/blocks.h. */
#ifndef TG_INTERP_BLOCKS_GATHER_H
#define TG_INTERP_BLOCKS_GATHER_H

#include "ir/gather.h"
#include "ir/type.h"
#include "ir/view.h"

/* `indices` is i32 (carrier); `out` is dense with the result's shape.  Outside the operand: fill =
 * NULL clamps the start of the slice, else the whole slice gives *fill. */
void tg_gather(const tg_gather_shape *g, const tg_view *operand, const tg_view *indices,
               const tg_type *result, size_t bytes, const void *fill, void *out);

#endif
