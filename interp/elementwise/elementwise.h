/* Element-wise ops: dst[i] = f(a[i], b[i], ...) over contiguous runs of elements, with one function
 * per op and carrier.  The same sources are compiled once per instruction set; every set gives the
 * same bits. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTWISE_H
#define TG_INTERP_ELEMENTWISE_ELEMENTWISE_H

#include "ir/op.h"
#include "ir/type.h"

/* Computes `count` elements.  Operands and result are in carriers (ir/type.h), if nothing else is
 * said.
 *   dst    may be equal to a source that is not a splat and whose elements are not smaller; there
 *          may be no other overlap
 *   src    one pointer per operand, aligned for its carrier only
 *   splat  bit k set: operand k is one element, used for every element of dst
 *   imm    exponent of integer_pow, number of round's rounding, case count of select, exponent
 *          bits << 8 | mantissa bits of reduce_precision, else 0 */
typedef void tg_elementwise_fn(void *dst, const void *const *src, unsigned splat, size_t count,
                               int64_t imm);

/* The functions of an op on a dtype: `compute`, then, unless NULL, `finish` in place on the result
 * (one operand, dst == src), which rounds narrow floats and wraps ints of 2 and 4 bits.  compute is
 * NULL if there is no such op. */
typedef struct tg_elementwise_call {
    tg_elementwise_fn *compute, *finish;
} tg_elementwise_call;

/* The functions of one instruction set. */
typedef struct tg_elementwise tg_elementwise;

/* Returns the set named "baseline", "avx2" or "avx512", or NULL if this machine does not have it.
 * With a NULL name: the value of TILEGRIND_ISA in the environment if that is set and usable, else
 * the widest set of this machine. */
const tg_elementwise *tg_elementwise_get(const char *isa);
const char *tg_elementwise_isa(const tg_elementwise *lanes);

/* The same instruction set in profile `fast`, see docs/numerics-fast.md.  Returns NULL if that is
 * not possible; then *missing, of static lifetime, names what the build or the machine lacks. */
const tg_elementwise *tg_elementwise_fast(const tg_elementwise *lanes, const char **missing);
const char *tg_elementwise_profile(const tg_elementwise *lanes); /* "reference" or "fast" */

/* An element-wise op of ops.def other than convert.  `dtype` is that of its operands: for select of
 * the cases, for pow of the base (`second` is the dtype of the exponent, else ignored).
 * Comparisons and is_finite give b8.  select takes b8 (2 cases) or i32 `which` as operand 0,
 * distinguished by `second`; outside the cases it takes the nearest one; operands from number 32 on
 * are never splats.  f8e8m0fnu, which has neither zero nor sign, gives NaN for results that are 0
 * in f32 or negative; results of elementary functions above 0 never underflow, but become its least
 * value.  There is no pow of ints. */
tg_elementwise_call tg_elementwise_op(const tg_elementwise *lanes, tg_opcode op, tg_dtype dtype,
                                      tg_dtype second);

/* From the carrier of `from` to the carrier of `to`, rounded once: the op `convert`. */
tg_elementwise_call tg_elementwise_convert(const tg_elementwise *lanes, tg_dtype from, tg_dtype to);

/* From elements in memory to the carrier, and back (values in the carrier must be exact in the
 * dtype).  NULL if both have the same bytes (tg_is_native). */
tg_elementwise_fn *tg_elementwise_load(const tg_elementwise *lanes, tg_dtype dtype);
tg_elementwise_fn *tg_elementwise_store(const tg_elementwise *lanes, tg_dtype dtype);

#endif
