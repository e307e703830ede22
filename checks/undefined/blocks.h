/* Shadow rules of instructions on whole blocks: copies, reductions, scans, products, sorting. */
#ifndef TG_CHECKS_UNDEFINED_BLOCKS_H
#define TG_CHECKS_UNDEFINED_BLOCKS_H

#include "interp/state/machine.h"

void tg_shadow_copy(tg_machine *m, const tg_inst *inst);
void tg_shadow_reduce(tg_machine *m, const tg_inst *inst);
void tg_shadow_scan(tg_machine *m, const tg_inst *inst);
void tg_shadow_dot(tg_machine *m, const tg_inst *inst);
void tg_shadow_sort(tg_machine *m, const tg_inst *inst);

#endif
