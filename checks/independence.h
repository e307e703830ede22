/* Grids whose programs all do the same: each stores the same into a block of its own, because nothing that it reads or computes depends
 * on its place. */
#ifndef TG_CHECKS_INDEPENDENCE_H
#define TG_CHECKS_INDEPENDENCE_H

#include "plan/plan.h"
#include "report/finding.h"
#include "plan/grid.h"

/* Told from the plan alone, so that it is proven; only where an input is read: filling blocks with a constant is no mistake. */
void tg_independence_report(const tg_plan *plan, const tg_grid *grid, tg_findings *findings);

#endif
