/* The end of each turn of a loop: decides whether the program goes on. */
#ifndef TG_INTERP_SPIN_TURN_H
#define TG_INTERP_SPIN_TURN_H

#include "interp/state/machine.h"

/* The slow path of tg_loop_turn, for runs that may be stopped or whose turns are limited. */
tg_step tg_loop_turn_asked(tg_machine *m, const tg_inst *inst);

/* Returns GOING if it does, STOPPED if the run must stop, in m->stopped_in, or BLOCKED if the
 * program has made all turns that it may, which is reported. */
static inline tg_step tg_loop_turn(tg_machine *m, const tg_inst *inst)
{
    const tg_launch *launch = m->launch;
    return launch->wants_stop || launch->most_turns ? tg_loop_turn_asked(m, inst) : TG_STEP_GOING;
}

/* The same for a while loop that ends with `inst`.  Also returns WAITING, as in spin.h, or
 * GIVING_WAY if others should run as well. */
tg_step tg_while_turn(tg_machine *m, const tg_inst *inst);

#endif
