/* Loops that spin: their turns only look whether other programs have changed memory.
 *
 * A while loop spins if two of its turns begin with the same values, apart from those that only
 * count turns (plan/whiles.c), and all memory that the turns in between have accessed is the same
 * again.  Then the program does the same forever, until another actor changes some of that memory:
 * it waits, and other programs may run.  This is proven, never guessed: a loop that is only long
 * never waits. */
#ifndef TG_INTERP_SPIN_SPIN_H
#define TG_INTERP_SPIN_SPIN_H

#include "interp/state/machine.h"

/* NULL is fine. */
void tg_spin_free(tg_spin *spin);

/* Called when a new program begins. */
void tg_spin_reset(tg_machine *m);

/* Called when the program goes back to the beginning of a loop of its plan.  Returns WAITING if it
 * waits from now on, BLOCKED if memory runs out, which the findings record.  Loops whose turns
 * access more memory than a watch can hold (watch.h) never wait. */
tg_step tg_spin_turned(tg_machine *m, const tg_while *loop, const tg_inst *inst);

/* Called for each access of the program; m->spin must not be NULL. */
void tg_spin_accessed(const tg_machine *m, const tg_access_event *event);

/* Called when the program reads a semaphore, or has changed one; m->spin must not be NULL. */
void tg_spin_read_semaphore(const tg_machine *m, const tg_inst *inst, uint32_t root,
                            const int64_t *semaphore);
void tg_spin_wrote_semaphore(const tg_machine *m, const int64_t *semaphore);

/* The wait object of a program in a loop that spins. */
extern const tg_wait tg_wait_loop;

#endif
