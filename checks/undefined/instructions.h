/* Before each instruction: what becomes of the shadows, and whether an element that they speak of
 * decides anything here. */
#ifndef TG_CHECKS_UNDEFINED_INSTRUCTIONS_H
#define TG_CHECKS_UNDEFINED_INSTRUCTIONS_H

#include "interp/state/machine.h"

/* The index map of `param` has given its indices. */
void tg_shadow_mapped(tg_machine *m, uint32_t param);

/* The instruction is about to be executed. */
void tg_shadow_step(tg_machine *m, const tg_inst *inst);

#endif
