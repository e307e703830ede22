/* Emits the whole kernel: from a plan to PTX text. */
#ifndef TG_GPU_BACKEND_KERNEL_KERNEL_H
#define TG_GPU_BACKEND_KERNEL_KERNEL_H

#include "base/diag.h"
#include "gpu_backend/text/ptx.h"
#include "plan/plan.h"

/* `plan` must outlive the result; free that with tg_ptx_free.  Returns TG_ERR_UNSUPPORTED with the
 * op's source location, TG_ERR_USAGE for an unknown target, or TG_ERR_NO_MEMORY. */
tg_status tg_ptx_emit(const tg_plan *plan, const tg_ptx_options *options, tg_ptx **out,
                      tg_diags *diags);
void tg_ptx_free(tg_ptx *ptx); /* NULL is fine */

#endif
