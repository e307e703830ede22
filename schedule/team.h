/* Teams: the threads of a chain in flight.  They run each step of it together, and the next step
 * begins when all of them have ended that one. */
#ifndef TG_SCHEDULE_TEAM_H
#define TG_SCHEDULE_TEAM_H

#include "schedule/actor.h"
#include "schedule/walk.h"

typedef struct tg_team {
    struct tg_team *next, *next_idle; /* of lists of all, and of those whose chain has ended */
    tg_machine **machines;            /* per thread; the first one's own chain is that of all */
    int64_t chain, step;
    int64_t turn, begun; /* as of an actor */
    int64_t running;     /* threads that have not ended the step */
    bool is_blocked;     /* one of them has ended where it could not go on */
} tg_team;

/* A team without machines for `threads` threads; NULL without memory. */
tg_team *tg_team_new(int64_t threads);
void tg_teams_free(tg_team *first); /* and those behind it */

/* The team takes on a chain, whose number is set then; `turn` and `begun` are as of an actor. */
void tg_team_begin(tg_team *team, int64_t turn, int64_t begun);

/* Gets all threads ready to run the step. */
void tg_team_start(tg_walk *w, tg_team *team);

/* The actor that the order has as number `turn` of the threads. */
tg_actor tg_team_actor(const tg_walk *w, tg_team *team, int64_t turn);

/* A thread has ended the step, DONE or BLOCKED; whether it was the last one. */
bool tg_team_thread_ends(tg_walk *w, const tg_actor *a, tg_step how);

/* All have ended it: goes on to the next one, not ready yet; false where the chain is at its end, or
 * cannot go on. */
bool tg_team_next(const tg_walk *w, tg_team *team);

/* The chain has come to its end. */
void tg_team_end(const tg_walk *w, const tg_team *team);

#endif
