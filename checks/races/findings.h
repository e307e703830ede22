/* Turns conflicts into findings. */
#ifndef TG_CHECKS_RACES_FINDINGS_H
#define TG_CHECKS_RACES_FINDINGS_H

#include "checks/races/conflict.h"
#include "checks/races/state.h"
#include "physical/logical_element.h"
#include "report/finding.h"

/* The memory that accesses conflict over. */
typedef struct tg_race_object {
    uint32_t param;
    const tg_laid_out *laid_out; /* elements of conflicts are those of this; NULL: of the param */
} tg_race_object;

/* Adds the findings for all conflicts over the memory of one parameter.  Returns false if memory runs
 * out. */
bool tg_races_add_findings(const tg_races *races, const tg_race_object *object,
                           const tg_race_conflict *list, size_t count, tg_findings *findings);

#endif
