/* The shadow rule of groups of element-wise ops. */
#ifndef TG_CHECKS_UNDEFINED_GROUP_H
#define TG_CHECKS_UNDEFINED_GROUP_H

#include "interp/state/machine.h"

void tg_shadow_group(tg_machine *m, const tg_inst *inst);

#endif
