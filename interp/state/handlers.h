/* What performs instructions: a handler for each row of plan/insts.def, in the file that is about
 * its subject. */
#ifndef TG_INTERP_STATE_HANDLERS_H
#define TG_INTERP_STATE_HANDLERS_H

#include "interp/state/machine.h"

/* Performs instruction number m->pc of m->code.  It sets m->next where that is not the one behind
 * it, and m->step where the program does not go on: then it goes on at m->next when it is run
 * again. */
#define TG_INST(ID, id, body, visible, traits, names)                                              \
    void tg_exec_##id(tg_machine *m, const tg_inst *inst);
#include "plan/insts.def"

#endif
