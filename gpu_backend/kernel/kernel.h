/* The whole kernel: from a plan to PTX text. */
#ifndef TG_GPU_BACKEND_KERNEL_KERNEL_H
#define TG_GPU_BACKEND_KERNEL_KERNEL_H

#include "base/diag.h"
#include "gpu_backend/text/ptx.h"
#include "plan/plan.h"

/* `plan` must outlive the result.  TG_ERR_UNSUPPORTED with the op's place, TG_ERR_USAGE for an
 * unknown target, or TG_ERR_NO_MEMORY. */
tg_status tg_ptx_emit(const tg_plan *plan, const tg_ptx_options *options, tg_ptx **out,
                      tg_diags *diags);
void tg_ptx_free(tg_ptx *ptx); /* NULL is fine */

#endif
