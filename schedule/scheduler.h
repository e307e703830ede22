/* The scheduler of actors on one thread: which of those that can go on does so next, and when others begin.
 *
 * As a rule an actor runs as far as it can: first those that have begun, as the order has them, then the next one of the
 * order, then those that have given way.  Interleaved, any of a few live ones, chosen at random, goes on to its next visible event.
 * Chains that signal each other's semaphores (tg_plan.is_coupled) are all live from the beginning, and their scratch lives until all
 * of them have ended, as others may signal what is in it.  Where there are threads, each thread of a chain is an actor.
 * When nobody can go on, copies do that have not taken place yet; then all that wait say so, and end. */
#ifndef TG_SCHEDULE_SCHEDULER_H
#define TG_SCHEDULE_SCHEDULER_H

#include "schedule/actor_list.h"
#include "schedule/team.h"
#include "schedule/waiting.h"
#include "schedule/walk.h"

typedef struct tg_scheduler {
    tg_walk *walk;
    int64_t next, end; /* chains of the order that have not begun */
    int64_t begun;     /* how many have */
    /* private */
    bool is_random, is_coupled, has_threads;
    int64_t *list;       /* the order where it is listed; else NULL */
    tg_actor_list live;  /* that can go on, as far as is known */
    tg_actor_list aside; /* those that have given way, the longest ago first */
    tg_actor_list ended; /* that others may still signal */
    tg_waiting waiting;
    tg_machine *spare;
    tg_team *teams, *idle_teams;
    uint64_t drawn; /* random numbers */
    bool lacks_memory;
} tg_scheduler;

/* One that has begun elsewhere, and goes on here; false without memory. */
bool tg_scheduler_add(tg_scheduler *s, const tg_actor *actor);

/* Runs all actors to their ends.  TG_ERR_NO_MEMORY. */
tg_status tg_scheduler_run(tg_scheduler *s);
void tg_scheduler_free(tg_scheduler *s);

/* Walks the whole grid so. */
tg_status tg_walk_scheduled(tg_walk *w);

#endif
