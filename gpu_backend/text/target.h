/* The chips for which texts can be written. */
#ifndef TG_GPU_BACKEND_TEXT_TARGET_H
#define TG_GPU_BACKEND_TEXT_TARGET_H

#include <stdbool.h>

#include "base/diag.h"

/* Finds the version of PTX for a text for `target` (NULL: sm_80, which runs on all later chips):
 * "7.8", or the first later version that knows the chip.  Returns TG_ERR_USAGE for an unknown
 * name. */
tg_status tg_ptx_target(const char **target, const char **version, tg_diags *diags);

/* Whether the chip has what came with sm_90: waits for mbarriers, bulk copies. */
bool tg_ptx_target_waits(const char *target);

#endif
