/* Matrix products as tensor cores of GPUs are published to make them: base/aligned_sum.h says how each
 * instruction adds; an instruction takes as many links of the chain as 32 bytes of a factor hold. */
#ifndef TG_INTERP_BLOCKS_TENSOR_CORE_H
#define TG_INTERP_BLOCKS_TENSOR_CORE_H

#include "interp/blocks/dot.h"
#include "ir/setting.h"

/* out[b,m,n] becomes out + the product, k ascending.  The factors, of dtype `factor`, and `out`, dense,
 * are f32 carriers.  `sum` is f32, or f16: then each instruction rounds to that. */
void tg_tensor_core_add(tg_tensor_core core, tg_dtype factor, tg_dtype sum,
                        const tg_dot_shape *shape, const float *lhs, const float *rhs, float *out);

#endif
