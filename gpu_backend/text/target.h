/* The chips that texts may be for. */
#ifndef TG_GPU_BACKEND_TEXT_TARGET_H
#define TG_GPU_BACKEND_TEXT_TARGET_H

#include "base/diag.h"

/* The version of PTX that a text for `target` (NULL: sm_80, which runs on all later ones) is
 * written in, "7.8" or as much later as the chip's name came into the language.  TG_ERR_USAGE for a
 * name that is none of those known. */
tg_status tg_ptx_target(const char **target, const char **version, tg_diags *diags);

#endif
