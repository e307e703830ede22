/* Loops that spin: turns that do nothing but look whether other programs have changed something.
 *
 * A while loop spins if two of its turns begin with the same values, what counts turns alone left
 * out (plan/whiles.c), and all memory that the turns in between have touched holds again what it
 * held.  Then the program does the same for ever, until somebody else changes some of that memory:
 * it waits, and other programs may run.  This is proven, never guessed: a loop that is just long
 * never waits. */
#ifndef TG_INTERP_SPIN_SPIN_H
#define TG_INTERP_SPIN_SPIN_H

#include "interp/state/machine.h"

/* Frees what was noted; NULL is fine. */
void tg_spin_free(tg_spin *spin);

/* A new program begins. */
void tg_spin_reset(tg_machine *m);

/* The program goes back to the beginning of a loop of its plan.  WAITING: it waits from now on.
 * BLOCKED: memory is short, of which the findings know.  Loops whose turns touch more than a watch
 * takes (watch.h) never wait. */
tg_step tg_spin_turned(tg_machine *m, const tg_while *loop, const tg_inst *inst);

/* What the program touches, each time; m->spin is there. */
void tg_spin_accessed(const tg_machine *m, const tg_access_event *event);

/* It reads a semaphore, or has changed one; likewise. */
void tg_spin_read_semaphore(const tg_machine *m, const tg_inst *inst, uint32_t root,
                            const int64_t *semaphore);
void tg_spin_wrote_semaphore(const tg_machine *m, const int64_t *semaphore);

/* The wait of a program in such a loop. */
extern const tg_wait tg_wait_loop;

#endif
