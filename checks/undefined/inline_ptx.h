/* Shadows of PTX text in a kernel. */
#ifndef TG_CHECKS_UNDEFINED_INLINE_PTX_H
#define TG_CHECKS_UNDEFINED_INLINE_PTX_H

#include "interp/state/machine.h"

/* All results of an instance are undefined where one of its operands is: nobody looks into the text. */
void tg_shadow_inline_ptx(tg_machine *m, const tg_inst *inst);

#endif
