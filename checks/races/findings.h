/* Turns conflicts into findings. */
#ifndef TG_CHECKS_RACES_FINDINGS_H
#define TG_CHECKS_RACES_FINDINGS_H

#include "checks/races/conflict.h"
#include "checks/races/state.h"
#include "report/finding.h"

/* Adds the findings for all conflicts over the memory of one parameter. */
void tg_races_add_findings(const tg_races *races, uint32_t param, const tg_race_conflict *list,
                           size_t count, tg_findings *findings);

#endif
