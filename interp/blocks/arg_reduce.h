/* Positions of the greatest and least elements.  Common to all work on blocks:
 * interp/blocks/blocks.h. */
#ifndef TG_INTERP_BLOCKS_ARG_REDUCE_H
#define TG_INTERP_BLOCKS_ARG_REDUCE_H

#include "ir/op.h"
#include "ir/view.h"

/* argmax, argmin along `axis`; `out` is dense, i32 or i64 as `index` says (TG_DT_i32, TG_DT_i64,
 * u32, u64 ...). */
void tg_arg_reduce(tg_opcode op, tg_dtype dtype, const tg_view *in, int axis, tg_dtype index,
                   void *out);

#endif
