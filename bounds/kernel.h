/* How far profile fast may be from profile reference: a kernel that computes it.
 *
 * Each float v of a kernel gets a companion in f64, a bound of |v in profile fast - v in profile
 * reference|.  Operations that move elements move the companions too; the others pass on what their
 * operands may be off by, add what the operation itself may be off by where profile fast
 * approximates it (gpu_backend/elementwise/fast.def, docs/gpu.md), and the rounding of both
 * results.  An element whose operands are not off at all is not off either, as both profiles then
 * compute the same.  Comparisons must come out alike in both profiles: where that is not certain, a
 * check in the kernel fails. */
#ifndef TG_BOUNDS_KERNEL_H
#define TG_BOUNDS_KERNEL_H

#include "ir/ir.h"

/* The parameter of the bounds of parameter NAME is "NAME bound". */
#define TG_BOUND_SUFFIX " bound"

/* Makes the module of the one kernel that does what `kernel` does, without what it prints and
 * checks, and computes bounds.  Outputs of f16, bf16, f32 and f64 have a second one with their
 * bounds, in f64; inputs whose memory an output shares have a second one with the bounds to begin
 * with.  The result borrows from `module`; the caller frees it.  TG_ERR_UNSUPPORTED, with the op's
 * place, where no rule is known for an operation on what may be off; TG_ERR_NO_MEMORY. */
tg_status tg_bound_kernel_new(const tg_module *module, const tg_kernel *kernel, tg_module **out,
                              tg_diags *diags);

#endif
