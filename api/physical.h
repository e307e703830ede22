/* The kernel that a run executes: as it is, or held where its layouts say. */
#ifndef TG_API_PHYSICAL_H
#define TG_API_PHYSICAL_H

#include "ir/ir.h"

/* Finds the kernel for the option's text, NULL, "logical" or "physical"; *module becomes its module,
 * which lives as long as the one that it was.  Any number of threads may do so at once.  TG_ERR_USAGE
 * for another text; errors of tg_physical_new. */
tg_status tg_api_held(const char *layouts, const tg_module **module, const tg_kernel **kernel,
                      tg_diags *diags);

#endif
