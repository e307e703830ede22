/* Shadow rules of loads and stores of strided boxes: words move between slots and the places of a
 * memory. */
#ifndef TG_CHECKS_UNDEFINED_BOXES_H
#define TG_CHECKS_UNDEFINED_BOXES_H

#include "interp/state/machine.h"

void tg_shadow_load(tg_machine *m, const tg_inst *inst);
void tg_shadow_store(tg_machine *m, const tg_inst *inst);

#endif
