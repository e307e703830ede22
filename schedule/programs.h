/* What all ways to schedule share: machines, the beginning and end of programs, and progress. */
#ifndef TG_SCHEDULE_PROGRAMS_H
#define TG_SCHEDULE_PROGRAMS_H

#include "schedule/actor.h"
#include "schedule/walk.h"

/* Makes machines until there are `wanted`.  Returns their number, less than `wanted` if memory runs
 * out. */
int tg_walk_machines(tg_walk *w, int wanted);

/* Returns a machine that no actor has had in this walk; NULL if memory runs out. */
tg_machine *tg_walk_new_machine(tg_walk *w);

/* How many actors may wait, each with a machine, before chains from the other end of the order are
 * tried. */
int tg_walk_most_waiting(const tg_launch *launch);

/* Reports the progress of the walk, if the calling thread asks.  Returns whether the walk must
 * stop.  `context` is the walk. */
bool tg_walk_show_progress(void *context, bool is_caller);

/* Prepares the actor's next program, with fresh scratch if it is the first one of the chain. */
void tg_walk_start(tg_walk *w, const tg_actor *a);

/* Runs the actor's program until it ends (DONE, BLOCKED), waits or gives way or, if its machine
 * stops there, until the next visible event (READY).  Reports a wait that nobody can end, which
 * ends the program. */
tg_step tg_walk_run_program(tg_walk *w, const tg_actor *a);

/* Counts a program that has run to its end. */
void tg_walk_program_done(tg_walk *w, const tg_actor *a);

/* Called after a program ended: prepares the next one of its chain, and returns false if there is
 * none.  The programs after one that cannot go on never run. */
bool tg_walk_next(tg_walk *w, tg_actor *a, tg_step how);

/* Ends a chain, and with it its scratch, at its end or, BLOCKED, where it cannot go on. */
void tg_walk_end_chain(const tg_actor *a, tg_step how);

/* Runs a chain, program by program.  Returns DONE at its end, or if the walk is stopped; else
 * WAITING or GIVING_WAY. */
tg_step tg_walk_run_chain(tg_walk *w, tg_actor *a);

#endif
