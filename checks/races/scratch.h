/* Scratch that threads share: its access sets, for each chain in flight. */
#ifndef TG_CHECKS_RACES_SCRATCH_H
#define TG_CHECKS_RACES_SCRATCH_H

#include "checks/races/state.h"

/* Returns the scratch memory that is accessed.  It is valid until the next call.  Returns NULL if
 * memory runs out. */
tg_race_memory *tg_race_scratch_of(tg_races *races, const tg_access_event *event);

/* Calls `visit` for each run of places of a scratch parameter that has a conflict, ordered by first
 * place, with the number of its access set.  Returns false if memory runs out. */
bool tg_race_scratch_visit(const tg_races *races, uint32_t param,
                           void (*visit)(void *context, uint32_t set, int64_t first, int64_t count),
                           void *context);

void tg_race_scratch_free(tg_races *races);

#endif
