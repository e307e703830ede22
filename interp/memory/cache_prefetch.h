/* Cache prefetch: fetches blocks of the next program into the cache while this one computes.  The
 * blocks are a guess: a parameter's block that has moved by the same distance twice will do so
 * again.  A wrong guess costs some memory traffic, and never accesses anything outside the
 * arrays. */
#ifndef TG_INTERP_MEMORY_CACHE_PREFETCH_H
#define TG_INTERP_MEMORY_CACHE_PREFETCH_H

#include "interp/state/machine.h"

/* What to fetch of a parameter: its blocks, if they are contiguous, and neither small nor large. */
tg_prefetch_block tg_prefetch_of(const tg_launch *launch, uint32_t param);

/* Takes note of the block of a parameter that has some to fetch. */
void tg_prefetch_note_block(tg_machine *m, uint32_t param);

/* Called after the block of `param` was computed, m->refs[param]. */
static inline void tg_prefetch_note(tg_machine *m, uint32_t param)
{
    if (m->launch->prefetch[param].bytes) tg_prefetch_note_block(m, param);
}

/* Fetches the next few lines. */
void tg_prefetch_lines(tg_machine *m);

/* Call it between pieces of work that take about as long as fetching a few lines. */
static inline void tg_prefetch_some(tg_machine *m)
{
    if (m->prefetch_left) tg_prefetch_lines(m);
}

#endif
