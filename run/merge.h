/* Findings of several orders as one list. */
#ifndef TG_RUN_MERGE_H
#define TG_RUN_MERGE_H

#include "interp/state/order.h"
#include "report/finding.h"

/* Adds the findings of a run in `order` that are not known yet, with that order.  Known is what is
 * of the same kind, parameter and places of the source, whichever programs show it; of a race also
 * where the one order has the other side first.  A race of which two values are known takes the
 * place of one of the same value.  Undefined values that come from memory for which programs race
 * are not told of: the race is the fault. */
void tg_findings_merge(tg_findings *into, const tg_findings *from, const tg_order *order);

#endif
