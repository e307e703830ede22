/* Shadow rules of element-by-element accesses and of atomics. */
#ifndef TG_CHECKS_UNDEFINED_ELEMENTS_H
#define TG_CHECKS_UNDEFINED_ELEMENTS_H

#include "interp/state/machine.h"

void tg_shadow_scattered_load(tg_machine *m, const tg_inst *inst);
void tg_shadow_scattered_store(tg_machine *m, const tg_inst *inst);
void tg_shadow_atomic(tg_machine *m, const tg_inst *inst);

#endif
