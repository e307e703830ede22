/* What the text of an op may do. */
#ifndef TG_INLINE_PTX_CHECK_H
#define TG_INLINE_PTX_CHECK_H

#include "inline_ptx/registers.h"

/* Checks that each $ in the text names a register, that its scopes are closed, that it declares registers only, and
 * that none of its instructions touches memory, other threads or the end of the program.  What the
 * instructions are is not checked.  Returns TG_OK, or TG_ERR_INVALID or TG_ERR_UNSUPPORTED with what
 * is wrong in `problem`. */
tg_status tg_inline_ptx_check(const tg_inline_ptx *ptx, char problem[TG_INLINE_PTX_PROBLEM]);

#endif
