/* What all ways to schedule share: machines, the beginning and the end of programs, and progress. */
#ifndef TG_SCHEDULE_PROGRAMS_H
#define TG_SCHEDULE_PROGRAMS_H

#include "schedule/actor.h"
#include "schedule/walk.h"

/* How many machines there are of `wanted`: all of them, unless memory is short. */
int tg_walk_machines(tg_walk *w, int wanted);

/* A machine that no actor has had in this walk; NULL without memory. */
tg_machine *tg_walk_new_machine(tg_walk *w);

/* How many actors may wait, each with a machine, before others than those that the order has next are tried. */
int tg_walk_most_waiting(const tg_launch *launch);

/* Reports how far the walk is; only the thread that called may do so.  Returns whether the walk shall stop.  The context is the
 * walk. */
bool tg_walk_show_progress(void *context, bool is_caller);

/* Gets the actor's next program ready to run, with fresh scratch for the first one. */
void tg_walk_start(tg_walk *w, const tg_actor *a);

/* Runs the actor's program on: to its end (DONE, BLOCKED), to the next visible event (READY) where its machine stops there, or
 * to where it waits for others or gives way to them.  A wait that nobody can end is reported, and the end of the program. */
tg_step tg_walk_run_program(tg_walk *w, const tg_actor *a);

/* A program has run to its end. */
void tg_walk_program_done(tg_walk *w, const tg_actor *a);

/* A program is done: gets the next one of its chain ready, or is false where there is none.  What
 * would come after one that cannot go on never runs. */
bool tg_walk_next(tg_walk *w, tg_actor *a, tg_step how);

/* Scratch of a chain that has come to its end, or, BLOCKED, cannot go on. */
void tg_walk_end_chain(const tg_actor *a, tg_step how);

/* Runs a chain on, program by program: DONE at its end, or where the walk is stopped; WAITING, GIVING_WAY. */
tg_step tg_walk_run_chain(tg_walk *w, tg_actor *a);

#endif
