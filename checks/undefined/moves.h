/* The rules of what moves elements to places that depend on values: words go where their elements
 * go.  Such an op does something for any index, so that an undefined one is no wrong by itself:
 * what it chooses is undefined. */
#ifndef TG_CHECKS_UNDEFINED_MOVES_H
#define TG_CHECKS_UNDEFINED_MOVES_H

#include "interp/state/machine.h"

void tg_shadow_gather(tg_machine *m, const tg_inst *inst);
void tg_shadow_scatter(tg_machine *m, const tg_inst *inst);
void tg_shadow_dynamic(tg_machine *m, const tg_inst *inst);
void tg_shadow_bitcast(tg_machine *m, const tg_inst *inst);

#endif
