/* Handlers: the functions that execute instructions, one for each row of plan/insts.def, each in
 * the file about its subject. */
#ifndef TG_INTERP_STATE_HANDLERS_H
#define TG_INTERP_STATE_HANDLERS_H

#include "interp/state/machine.h"

/* Executes instruction number m->pc of m->code.  Sets m->next if the next instruction is not the
 * one behind it, and m->step if the program stops here: it goes on at m->next when it runs
 * again. */
#define TG_INST(ID, id, body, visible, traits, names)                                              \
    void tg_exec_##id(tg_machine *m, const tg_inst *inst);
#include "plan/insts.def"

#endif
