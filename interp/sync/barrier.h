/* Barriers: a thread arrives, and waits until enough arrivals have completed the phase.
 *
 * The n-th wait of a thread for a barrier waits for its n-th phase.  Phases are counted: unlike the
 * single parity bit of hardware, a count never confuses two phases.
 *
 * A copy that tells a barrier belongs to the phase in which it starts: that is complete when all
 * arrivals have come and no such copy is on its way.  Where others than the one who arrives start
 * copies, their bytes are counted instead: the phase is complete when copies have brought as many as
 * the barrier was told to expect. */
#ifndef TG_INTERP_SYNC_BARRIER_H
#define TG_INTERP_SYNC_BARRIER_H

#include "interp/state/machine.h"

/* The number of complete phases. */
uint32_t tg_barrier_phase(const int64_t *barrier);

/* The bytes that the current phase of a barrier of parameter `root` lacks, as it has been told to expect
 * more than copies have brought; less than 0 if they have brought more. */
int64_t tg_barrier_lacks(const tg_machine *m, uint32_t root, const int64_t *barrier);

/* Called when an arrival behind products takes place. */
void tg_barrier_arrived(tg_machine *m, tg_async_op *arrival);

/* Called when a copy that tells a barrier has taken place. */
void tg_barrier_copied(tg_machine *m, const tg_async_op *copy);

/* Called when a chain begins: the machine's thread has not waited for any phase yet. */
void tg_barriers_begin(tg_machine *m);

#endif
