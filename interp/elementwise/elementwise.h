/* Lane-wise work: dst[i] = f(a[i], b[i], ...) over contiguous runs of elements, one function per op
 * and carrier. The same sources are compiled once per instruction set; every set gives the same
 * bits. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTWISE_H
#define TG_INTERP_ELEMENTWISE_ELEMENTWISE_H

#include "ir/op.h"
#include "ir/type.h"

/* Computes `count` lanes.  Operands and result are in carriers (ir/type.h) unless said otherwise.
 *   dst    may be the very pointer of a source that is no splat and whose elements are of no less
 *          size; no other overlap
 *   src    one pointer per operand, aligned for its carrier only
 *   splat  bit k set: operand k is one element, used for every lane
 *   imm    exponent of integer_pow, spelling number of round's rounding, case count of select,
 *          of reduce_precision the exponent bits << 8 | mantissa bits, else 0 */
typedef void tg_elementwise_fn(void *dst, const void *const *src, unsigned splat, size_t count,
                               int64_t imm);

/* What an op on a dtype takes: `compute`, then, unless NULL, `finish` in place on the result (one
 * operand, dst == src), which rounds narrow floats and wraps ints of 2 and 4 bits. compute is NULL
 * where there is no such op. */
typedef struct tg_elementwise_call {
    tg_elementwise_fn *compute, *finish;
} tg_elementwise_call;

/* One instruction set's functions. */
typedef struct tg_elementwise tg_elementwise;

/* The set named "baseline", "avx2" or "avx512" if this machine has it, else NULL. With a NULL name:
 * the value of TILEGRIND_ISA in the environment if that is set and usable, else the widest this
 * machine has. */
const tg_elementwise *tg_elementwise_get(const char *isa);
const char *tg_elementwise_isa(const tg_elementwise *lanes);

/* The same instruction set in profile `fast`, see docs/numerics-fast.md.  NULL where that cannot
 * be; then *missing, of static lifetime, names what the build or the machine lacks. */
const tg_elementwise *tg_elementwise_fast(const tg_elementwise *lanes, const char **missing);
const char *tg_elementwise_profile(const tg_elementwise *lanes); /* "reference" or "fast" */

/* An element-wise op of ops.def other than convert. `dtype` is that of its operands: for select of
 * the cases, for pow of the base (`second` is the dtype of the exponent, else ignored). Comparisons
 * and is_finite give b8. select takes b8 (2 cases) or i32 `which` as operand 0, told apart by
 * `second`; outside the cases it takes the nearest; operands from number 32 on are never splats.
 * f8e8m0fnu, which has neither zero nor sign, gives NaN for results that are 0 in f32 or negative;
 * the elementary functions' results above 0 are never too small, but become its least value. pow of
 * ints does not exist. */
tg_elementwise_call tg_elementwise_op(const tg_elementwise *lanes, tg_opcode op, tg_dtype dtype,
                                      tg_dtype second);

/* Carrier of `from` to carrier of `to`, rounded once: the op `convert`. */
tg_elementwise_call tg_elementwise_convert(const tg_elementwise *lanes, tg_dtype from, tg_dtype to);

/* Memory elements to carrier, and back (carrier values are exact in the dtype). NULL where both are
 * the same bytes (tg_is_native). */
tg_elementwise_fn *tg_elementwise_load(const tg_elementwise *lanes, tg_dtype dtype);
tg_elementwise_fn *tg_elementwise_store(const tg_elementwise *lanes, tg_dtype dtype);

#endif
