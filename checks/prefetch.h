/* Scalar-prefetch tables that the kernel writes and its index maps read.  A TPU asks index maps for the blocks of programs to come while
 * programs before them still run: whether such a write is seen is nobody's promise. */
#ifndef TG_CHECKS_PREFETCH_H
#define TG_CHECKS_PREFETCH_H

#include "interp/observer.h"
#include "report/finding.h"

typedef struct tg_prefetch tg_prefetch;

/* Whether there is anything to watch: a table that an op of the body may write. */
bool tg_prefetch_is_needed(const tg_plan *plan);

/* NULL without memory. */
tg_prefetch *tg_prefetch_new(const tg_plan *plan);
void tg_prefetch_free(tg_prefetch *prefetch); /* NULL is fine */

/* At the start of each run, whose findings go to `findings`.  False without memory. */
bool tg_prefetch_begin(tg_prefetch *prefetch, tg_findings *findings);

tg_observer tg_prefetch_observer(tg_prefetch *prefetch);

/* After the run: false where memory was short. */
bool tg_prefetch_is_complete(const tg_prefetch *prefetch);

#endif
