/* Races between programs of a grid: two that nothing orders touch the same element, and at least one writes it.
 *
 * Programs of one chain run in order (interp/order.h); nothing orders those of different chains, whatever order a run has.  So a
 * run in any order shows every race of that launch: who has touched what is all that is looked at.  Two atomics do not
 * conflict with each other; but add_update is none where the target is a TPU: there it reads, and then writes. */
#ifndef TG_CHECKS_RACES_H
#define TG_CHECKS_RACES_H

#include "interp/observer.h"
#include "report/finding.h"
#include "plan/grid.h"

typedef struct tg_races tg_races;

/* NULL without memory. */
tg_races *tg_races_new(const tg_plan *plan, bool is_tpu);
void tg_races_free(tg_races *races);

/* At the start of each run: nothing has been touched.  `is_shared`: by several threads.  False without memory. */
bool tg_races_begin(tg_races *races, const tg_grid *grid, bool is_shared);

tg_observer tg_races_observer(tg_races *races);

/* After the run: one finding for each two places of the source that conflict.  False where memory was short. */
bool tg_races_report(tg_races *races, tg_findings *findings);

#endif
