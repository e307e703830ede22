/* The scheduler of actors on one thread: decides which ready actor runs next, and when others
 * begin.
 *
 * As a rule an actor runs as far as it can: first those that have begun, in the order; then the
 * next one of the order; then those that have given way.  In order `interleaved`, a random one of a
 * few live actors runs to its next visible event.  Chains that signal each other's semaphores
 * (tg_plan.is_coupled) are all live from the beginning, and their scratch lives until all of them
 * have ended, as others may signal semaphores in it.  In kernels with threads, each thread of a
 * chain is an actor.  When no actor can go on, copies that have not taken place do so; if there are
 * none, all waits are reported, and their actors end. */
#ifndef TG_SCHEDULE_SCHEDULER_H
#define TG_SCHEDULE_SCHEDULER_H

#include "schedule/actor_list.h"
#include "schedule/team.h"
#include "schedule/waiting.h"
#include "schedule/walk.h"

enum { TG_LIVE_AT_ONCE = 16 }; /* interleaved actors */

typedef struct tg_scheduler {
    tg_walk *walk;
    int64_t next, end; /* turns of chains that have not begun: next <= turn < end */
    int64_t begun;     /* number of chains that have begun */
    /* private */
    bool is_random, is_coupled, has_threads;
    int64_t *list;       /* the chains in order, if it must be listed; else NULL */
    tg_actor_list live;  /* ready, as far as is known */
    tg_actor_list aside; /* those that have given way, the longest ago first */
    tg_actor_list ended; /* chains that others may still signal */
    tg_waiting waiting;
    tg_machine *spare;
    tg_team *teams, *idle_teams;
    uint64_t drawn; /* random numbers so far */
    bool lacks_memory;
} tg_scheduler;

/* Adds an actor that has begun elsewhere and goes on here.  Returns false if memory runs out. */
bool tg_scheduler_add(tg_scheduler *s, const tg_actor *actor);

/* Runs all actors to their ends.  Returns TG_ERR_NO_MEMORY if memory runs out. */
tg_status tg_scheduler_run(tg_scheduler *s);
void tg_scheduler_free(tg_scheduler *s);

#endif
