/* How far a result may be from what it should be: a kernel that computes it beside the result.
 *
 * Each float v of a kernel gets companions in f64.  Operations that move elements move the
 * companions too.  The other operations pass on the bounds of their operands and add the error of
 * the operation itself.
 *
 * With a contract (bounds/contract.h), there are two companions: what v is in exact arithmetic, R,
 * and a bound of |v - R| for every implementation that keeps the contract.  R is computed in f64;
 * the errors of that are part of the bound.  Comparisons get a companion too: whether they may come
 * out otherwise.  A select between the two then has a bound that covers both cases; where anything
 * else depends on such a comparison, a check in the kernel fails.
 *
 * Without a contract, there is one companion, a bound of |v in profile fast - v in profile
 * reference|.  Operations add what profile fast approximates (gpu_backend/elementwise/fast.def,
 * docs/gpu.md) and the rounding of both results.  If the bounds of all operands of an element are
 * 0, its bound is 0 too, because both profiles then compute the same.  Comparisons must have the
 * same result in both profiles: where this is not certain, a check in the kernel fails. */
#ifndef TG_BOUNDS_KERNEL_H
#define TG_BOUNDS_KERNEL_H

#include "bounds/contract.h"
#include "ir/ir.h"

/* The parameters with the companions of parameter NAME are called "NAME bound", "NAME exact". */
#define TG_BOUND_SUFFIX " bound"
#define TG_EXACT_SUFFIX " exact"

/* Makes a module with one kernel that does what `kernel` does, except for its prints and checks,
 * and computes companions; `contract` may be NULL.  With `is_probable`, bounds of long sums hold with a
 * probability close to 1 (bounds/probable.h).  Each output of a float (without a contract: of
 * f16, bf16, f32 or f64) gets outputs with its companions, in f64.  Each input that shares its
 * memory with an output gets inputs with the initial companions: zeros, and the input in f64.  The
 * result borrows from `module`; the caller frees it.  Returns TG_ERR_UNSUPPORTED, with the op's
 * source location, if there is no rule for an operation on inexact operands, or TG_ERR_NO_MEMORY. */
tg_status tg_bound_kernel_new(const tg_module *module, const tg_kernel *kernel,
                              const tg_contract *contract, bool is_probable, tg_module **out,
                              tg_diags *diags);

#endif
