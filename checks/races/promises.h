/* Accesses that are ordered behind a product only by a wait that is promised, and that a GPU may do without.
 *
 * Where such a wait is not taken for one (TG_CHECK_GPU_STRICT), they are told from races: who accesses
 * knows of the moment of that wait. */
#ifndef TG_CHECKS_RACES_PROMISES_H
#define TG_CHECKS_RACES_PROMISES_H

#include "checks/races/state.h"
#include "report/finding.h"

/* The thread of actor `waiter` has waited for the op, or for one that comes behind it, as it is promised; and so for what
 * the op comes behind, if it may: of other threads, and of its own, of which only the last one of a group is left once
 * another thread has waited for them. */
void tg_race_promised(tg_races *races, int64_t op, int64_t waiter, bool may_follow);

/* If only a promise orders the two accesses, notes that and returns true. */
bool tg_race_relies_on_promise(tg_races *races, const tg_race_access *access,
                               const tg_race_access *done);

/* Adds a finding for each access that relies on a promise. */
void tg_race_promises_report(const tg_races *races, tg_findings *findings);

void tg_race_promises_free(tg_races *races);

#endif
