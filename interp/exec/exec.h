/* Executing instructions, one after the other. */
#ifndef TG_INTERP_EXEC_EXEC_H
#define TG_INTERP_EXEC_EXEC_H

#include "interp/state/machine.h"

/* Runs to the end of the program, or with `stops` to the next visible event: each call executes the
 * event before which the last call stopped, and goes on to the next one.  Returns STOPPED, now and
 * in later calls, if the launch wanted to stop in the middle of a loop, m->stopped_in. */
tg_step tg_machine_run(tg_machine *m);

/* Runs the code of an index map, which has no visible events. */
void tg_exec_map(tg_machine *m, const tg_code *code, const tg_bound_code *bound);

#endif
