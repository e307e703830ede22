/* Barriers: a program arrives, and waits until as many have as it takes to complete a phase.
 *
 * The n-th wait of a thread for a barrier is one for its n-th phase.  Phases are counted: unlike the
 * one bit of parity that hardware has, a count never takes one phase for another. */
#ifndef TG_INTERP_SYNC_BARRIER_H
#define TG_INTERP_SYNC_BARRIER_H

#include "interp/state/machine.h"

/* The thread of the machine has waited for no phase yet. */
void tg_barriers_begin(tg_machine *m);

/* Reports the first barrier of a scratch param that has some arrivals, but not all that complete a
 * phase, where its memory ends. */
void tg_barriers_end(tg_machine *m, uint32_t param);

#endif
