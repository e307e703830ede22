/* Blocks of the next program are fetched into the cache while this one computes.  What they are is
 * a guess: a parameter's block that has moved on by the same distance twice will do so once more.
 * A wrong guess costs some traffic, and never touches anything outside the arrays. */
#ifndef TG_INTERP_EXEC_CACHE_PREFETCH_H
#define TG_INTERP_EXEC_CACHE_PREFETCH_H

#include "interp/state/machine.h"

/* What is fetched of a parameter: its blocks, if they are in one piece, not small and not large. */
tg_prefetch_block tg_prefetch_of(const tg_launch *launch, uint32_t param);

/* The block of `param` has just been found, m->refs[param]. */
void tg_prefetch_note(tg_machine *m, uint32_t param);

/* Fetches the next few lines of what is to come. */
void tg_prefetch_lines(tg_machine *m);

/* To be called between pieces of work that take about as long as it takes to fetch some lines. */
static inline void tg_prefetch_some(tg_machine *m)
{
    if (m->prefetch_left) tg_prefetch_lines(m);
}

#endif
