/* Teams: the threads of a chain in flight.  They run each step of it together; the next step begins
 * when all of them have ended this one. */
#ifndef TG_SCHEDULE_TEAM_H
#define TG_SCHEDULE_TEAM_H

#include "schedule/actor.h"
#include "schedule/walk.h"

typedef struct tg_team {
    struct tg_team *next, *next_idle; /* in the list of all, and of those without a chain */
    tg_machine **machines;            /* per thread; all share the own chain of the first one */
    int64_t chain, step;
    int64_t turn, begun; /* as in tg_actor */
    int64_t running;     /* threads that have not ended the step */
    bool is_blocked;     /* a thread ended at a point where it could not go on */
} tg_team;

/* Makes a team for `threads` threads, without machines.  Returns NULL if memory runs out. */
tg_team *tg_team_new(int64_t threads);
void tg_teams_free(tg_team *first); /* frees all from this one on in the list */

/* Begins a chain; all numbers are as in tg_actor. */
void tg_team_begin(tg_team *team, int64_t turn, int64_t chain, int64_t begun);

/* Prepares all threads to run the step. */
void tg_team_start(tg_walk *w, tg_team *team);

/* The actor that has number `turn` in the order of threads. */
tg_actor tg_team_actor(const tg_walk *w, tg_team *team, int64_t turn);

/* Called when a thread has ended the step, DONE or BLOCKED.  Returns whether it was the last
 * one. */
bool tg_team_thread_ends(tg_walk *w, const tg_actor *a, tg_step how);

/* Called when all threads have ended the step: goes on to the next one, without preparing it.
 * Returns false at the end of the chain, or if it cannot go on. */
bool tg_team_next(const tg_walk *w, tg_team *team);

/* Ends the chain. */
void tg_team_end(const tg_walk *w, const tg_team *team);

#endif
