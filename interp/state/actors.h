/* Numbers of actors.  An actor goes on by itself, and has a vector clock of its own, which orders
 * its memory accesses with those of others.
 *
 * All programs of a chain, which run one after the other, are one actor.  Where a chain has
 * threads, the programs of each thread are one actor.  An op that runs beside the programs, such
 * as a copy, is an actor as well: its number is the number of the actor that started it, plus a multiple of the
 * number of actors that are programs. */
#ifndef TG_INTERP_STATE_ACTORS_H
#define TG_INTERP_STATE_ACTORS_H

#include "plan/grid.h"

/* The number of actors that are programs. */
static inline int64_t tg_actor_count(const tg_grid *grid) { return grid->chains * grid->threads; }

/* The number of a thread of a chain, and the chain that it belongs to. */
static inline int64_t tg_actor_of_thread(int64_t chain, int64_t thread, int64_t threads)
{
    return chain * threads + thread;
}

static inline int64_t tg_actor_chain(int64_t actor, const tg_grid *grid)
{
    return actor % tg_actor_count(grid) / grid->threads;
}

/* The number of the n-th op beside the programs, from 1 on, of a run whose programs are `count` actors. */
static inline int64_t tg_actor_of_async(int64_t starter, int64_t n, int64_t count)
{
    return starter + n * count;
}

/* The number of the actor itself if it is one of programs, or, for an op beside them, of the actor
 * that started it. */
static inline int64_t tg_actor_starter(int64_t actor, int64_t count) { return actor % count; }

#endif
