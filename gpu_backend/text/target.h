/* The chips for which texts can be written. */
#ifndef TG_GPU_BACKEND_TEXT_TARGET_H
#define TG_GPU_BACKEND_TEXT_TARGET_H

#include <stdbool.h>

#include "base/diag.h"

/* Finds the version of PTX for a text for `target` (NULL: sm_80, which runs on all later chips):
 * "7.8", or the first later version that knows the chip.  Returns TG_ERR_USAGE for an unknown
 * name. */
tg_status tg_ptx_target(const char **target, const char **version, tg_diags *diags);

/* What a target has; NULL and unknown ones have nothing of it: waits for mbarriers and bulk copies, which
 * came with sm_90; wgmma, which only sm_90a has; tcgen05. */
bool tg_ptx_target_waits(const char *target);
bool tg_ptx_target_has_wgmma(const char *target);
bool tg_ptx_target_has_tcgen05(const char *target);

#endif
