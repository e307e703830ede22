/* Merges findings of several orders into one list. */
#ifndef TG_RUN_MERGE_H
#define TG_RUN_MERGE_H

#include "interp/state/order.h"
#include "report/finding.h"

/* Adds the new findings of a run in `order`, and records that order with them.  A finding is not
 * new if the list has one of the same kind, parameter and source locations, from whichever
 * programs; for a race, also if the other order swaps the two sides.  A race with two values
 * replaces a race with one value.  Undefined values that come from memory for which programs race
 * are not added, because the race causes them. */
void tg_findings_merge(tg_findings *into, const tg_findings *from, const tg_order *order);

#endif
