/* Loads and stores one element at a time: through index arrays, or by refs without strides. */
#ifndef TG_INTERP_MEMORY_SCATTER_H
#define TG_INTERP_MEMORY_SCATTER_H

#include "interp/state/machine.h"

void tg_scattered_load(tg_machine *m, const tg_inst *inst);
void tg_scattered_store(tg_machine *m, const tg_inst *inst);

#endif
