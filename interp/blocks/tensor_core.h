/* Matrix products as tensor cores of GPUs are published to make them: base/aligned_sum.h says how each
 * instruction adds; an instruction takes as many links of the chain as 32 bytes of a factor hold. */
#ifndef TG_INTERP_BLOCKS_TENSOR_CORE_H
#define TG_INTERP_BLOCKS_TENSOR_CORE_H

#include "interp/blocks/dot.h"
#include "ir/setting.h"

/* Whether products of factors of these dtypes differ from those of tg_dot: of f16, of bf16, of the fp8 types
 * of GPUs; and of f32, `as_tf32`, whose factors lose their low 13 bits.  Products of integers are
 * exact everywhere. */
bool tg_tensor_core_has(tg_tensor_core core, tg_dtype lhs, tg_dtype rhs, bool as_tf32);

/* The core for products that are summed in `acc`: TG_TENSOR_CORE_EXACT for those of tg_dot. */
static inline tg_tensor_core tg_tensor_core_for(tg_tensor_core core, tg_dtype acc, tg_dtype lhs,
                                                tg_dtype rhs, bool as_tf32)
{
    const bool is_other = acc == TG_DT_f32 && tg_tensor_core_has(core, lhs, rhs, as_tf32);
    return is_other ? core : TG_TENSOR_CORE_EXACT;
}

/* out[b,m,n] becomes out + the product, k ascending.  The factors, of dtype `factor`, and `out`, dense,
 * are f32 carriers.  `sum` is f32, or f16: then each instruction rounds to that. */
void tg_tensor_core_add(tg_tensor_core core, tg_dtype factor, tg_dtype sum,
                        const tg_dot_shape *shape, const float *lhs, const float *rhs, float *out);

#endif
