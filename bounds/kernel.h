/* How far profile fast may be from profile reference: a kernel that computes it.
 *
 * Each float v of a kernel gets a companion in f64, a bound of |v in profile fast - v in profile
 * reference|.  Operations that move elements move the companions too.  The other operations pass on
 * the bounds of their operands, add the error of the operation itself where profile fast
 * approximates it (gpu_backend/elementwise/fast.def, docs/gpu.md), and add the rounding of both
 * results.  If the bounds of all operands of an element are 0, its bound is 0 too, because both
 * profiles then compute the same.  Comparisons must have the same result in both profiles: where
 * this is not certain, a check in the kernel fails. */
#ifndef TG_BOUNDS_KERNEL_H
#define TG_BOUNDS_KERNEL_H

#include "ir/ir.h"

/* The parameter with the bounds of parameter NAME is called "NAME bound". */
#define TG_BOUND_SUFFIX " bound"

/* Makes a module with one kernel that does what `kernel` does, except for its prints and checks,
 * and computes bounds.  Each output of f16, bf16, f32 or f64 gets a second output with its bounds,
 * in f64.  Each input that shares its memory with an output gets a second input with the initial
 * bounds.  The result borrows from `module`; the caller frees it.  Returns TG_ERR_UNSUPPORTED, with
 * the op's source location, if there is no rule for an operation on inexact operands, or
 * TG_ERR_NO_MEMORY. */
tg_status tg_bound_kernel_new(const tg_module *module, const tg_kernel *kernel, tg_module **out,
                              tg_diags *diags);

#endif
