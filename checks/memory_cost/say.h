/* What a finding says of a site. */
#ifndef TG_CHECKS_MEMORY_COST_SAY_H
#define TG_CHECKS_MEMORY_COST_SAY_H

#include "checks/memory_cost/sites.h"
#include "report/finding.h"

/* The finding of a site that costs more than it would have to.  Returns false if memory ran out. */
bool tg_cost_finding(const tg_kernel *kernel, const tg_cost_site *site, tg_found *out);

#endif
