/* Called before each instruction: updates the shadows, and reports if an element whose shadow is
 * set decides anything here. */
#ifndef TG_CHECKS_UNDEFINED_INSTRUCTIONS_H
#define TG_CHECKS_UNDEFINED_INSTRUCTIONS_H

#include "interp/state/machine.h"

/* Called when the index map of `param` has computed its indices. */
void tg_shadow_mapped(tg_machine *m, uint32_t param);

/* Called when the instruction is about to be executed. */
void tg_shadow_step(tg_machine *m, const tg_inst *inst);

#endif
