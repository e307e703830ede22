/* Shadow rules of instructions that move elements to positions that depend on values: words move
 * with their elements.  Such an op accepts any index, so an undefined index is no error by itself:
 * the elements that it selects are undefined. */
#ifndef TG_CHECKS_UNDEFINED_MOVES_H
#define TG_CHECKS_UNDEFINED_MOVES_H

#include "interp/state/machine.h"

void tg_shadow_gather(tg_machine *m, const tg_inst *inst);
void tg_shadow_scatter(tg_machine *m, const tg_inst *inst);
void tg_shadow_dynamic(tg_machine *m, const tg_inst *inst);
void tg_shadow_bitcast(tg_machine *m, const tg_inst *inst);

#endif
