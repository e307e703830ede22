/* Races between programs of a grid: two that nothing orders touch the same element, and at least one writes it.
 *
 * Programs of one chain run in order (interp/order.h); nothing orders those of different chains, whatever order a run has.  So a
 * run in any order shows every race of that launch: who has touched what is all that is looked at.  Two atomics do not
 * conflict with each other; but add_update is none where the target is a TPU: there it reads, and then writes. */
#ifndef TG_CHECKS_RACES_H
#define TG_CHECKS_RACES_H

#include "interp/detector.h"

typedef struct tg_races tg_races;

/* The detector's report: a finding for each two places of the source that conflict. */
bool tg_races_report(void *state, tg_run_end *run);

#endif
