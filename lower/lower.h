/* Lowering: from a kernel to its plan. */
#ifndef TG_LOWER_LOWER_H
#define TG_LOWER_LOWER_H

#include "plan/plan.h"

/* Lowers a verified kernel, which must outlive the plan.  Returns TG_ERR_UNSUPPORTED, with the op's
 * source location, or TG_ERR_NO_MEMORY on failure. */
tg_status tg_plan_new(const tg_module *module, const tg_kernel *kernel, tg_plan **out,
                      tg_diags *diags);
void tg_plan_free(tg_plan *plan); /* NULL is fine */

#endif
