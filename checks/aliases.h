/* Memory that has two names, an input's and an output's: what is written by the one and read by the other.  Where a compiler gives them
 * different memory, as is usual for blocks that are copied to fast memory and back, the read sees what was there before. */
#ifndef TG_CHECKS_ALIASES_H
#define TG_CHECKS_ALIASES_H

#include "interp/observer.h"
#include "report/finding.h"

typedef struct tg_aliases tg_aliases;

/* Whether there is anything to watch. */
bool tg_aliases_are_needed(const tg_plan *plan);

/* NULL without memory. */
tg_aliases *tg_aliases_new(const tg_plan *plan, bool is_tpu);
void tg_aliases_free(tg_aliases *aliases); /* NULL is fine */

/* At the start of each run, whose findings go to `findings`.  False without memory. */
bool tg_aliases_begin(tg_aliases *aliases, tg_findings *findings);

tg_observer tg_aliases_observer(tg_aliases *aliases);

/* After the run: false where memory was short. */
bool tg_aliases_are_complete(const tg_aliases *aliases);

#endif
