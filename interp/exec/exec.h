/* Running instructions one after the other. */
#ifndef TG_INTERP_EXEC_EXEC_H
#define TG_INTERP_EXEC_EXEC_H

#include "interp/state/machine.h"

/* Runs to the end of the program, or with `stops` up to the next visible event: each call performs
 * the event the last one stopped before, and what follows up to the next.  STOPPED, now and from
 * then on, where the launch wanted so in the middle of a loop, `stopped_in`. */
tg_step tg_machine_run(tg_machine *m);

/* Runs index-map code, which has no visible events of its own. */
void tg_exec_map(tg_machine *m, const tg_code *code, const tg_bound_code *bound);

#endif
