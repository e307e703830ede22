/* Numbers of actors: of what goes on by itself, and has a clock of its own for who touches memory.
 *
 * The programs of a chain, one after the other, are one actor; where there are threads, those of
 * each thread of a chain are.  A copy that runs beside them is one as well: its number is that of
 * who started it plus a multiple of how many such actors there are. */
#ifndef TG_INTERP_STATE_ACTORS_H
#define TG_INTERP_STATE_ACTORS_H

#include "plan/grid.h"

/* How many actors programs are. */
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

/* The number of the n-th copy, from 1 on, of a run whose programs are `count` actors. */
static inline int64_t tg_actor_of_copy(int64_t starter, int64_t n, int64_t count)
{
    return starter + n * count;
}

/* The actor of programs that an actor is, or that started it. */
static inline int64_t tg_actor_starter(int64_t actor, int64_t count) { return actor % count; }

#endif
