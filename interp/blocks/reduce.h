/* Reductions.  Common to all work on blocks: interp/blocks/blocks.h. */
#ifndef TG_INTERP_BLOCKS_REDUCE_H
#define TG_INTERP_BLOCKS_REDUCE_H

#include "interp/elementwise/elementwise.h"
#include "ir/view.h"

/* reduce_sum, _prod, _max, _min, _and, _or, _xor over the dimensions whose bit is set in `axes`.
 * The reduced dimensions are taken together, row-major, as one of n elements; then with P the least
 * power of two >= n, for s = P/2, P/4, ... 1: x[i] = op(x[i], x[i+s]) for i < s and i+s < n; x[0]
 * is the result, rounded to `dtype` at each step.  n = 0 gives 0 (sum, or, xor), 1 (prod), all ones
 * (and), and for max and min the least and greatest value (-inf, inf).  `out` is dense, in the
 * order of the other dimensions. */
size_t tg_reduce_workspace(const tg_view *in, unsigned axes, tg_dtype dtype);
void tg_reduce(const tg_elementwise *lanes, tg_opcode op, tg_dtype dtype, const tg_view *in,
               unsigned axes, void *out, void *workspace);

#endif
