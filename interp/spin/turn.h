/* The end of each turn of a loop: whether the program goes on. */
#ifndef TG_INTERP_SPIN_TURN_H
#define TG_INTERP_SPIN_TURN_H

#include "interp/state/machine.h"

tg_step tg_loop_turn_asked(tg_machine *m,
                           const tg_inst *inst); /* where somebody may want to stop it */

/* GOING: it does.  STOPPED: somebody wants the run to stop, m->stopped_in.  BLOCKED: it has made
 * all the turns that it may, which has been reported. */
static inline tg_step tg_loop_turn(tg_machine *m, const tg_inst *inst)
{
    const tg_launch *launch = m->launch;
    return launch->wants_stop || launch->most_turns ? tg_loop_turn_asked(m, inst) : TG_STEP_GOING;
}

/* The same of a while loop, whose end is `inst`.  WAITING: as in spin.h.  GIVING_WAY: others should
 * go on as well. */
tg_step tg_while_turn(tg_machine *m, const tg_inst *inst);

#endif
