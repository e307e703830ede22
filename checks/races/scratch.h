/* Scratch that threads share: what is known of who touched it, for each chain in flight. */
#ifndef TG_CHECKS_RACES_SCRATCH_H
#define TG_CHECKS_RACES_SCRATCH_H

#include "checks/races/state.h"

/* The memory of one scratch parameter that the access is about; NULL without memory.  It is valid
 * until the next call. */
tg_race_memory *tg_race_scratch_of(tg_races *races, const tg_access_event *event);

/* Calls `visit` for each run of places of a scratch parameter where something conflicts, in order of
 * the first place, and with the number of its access set.  False without memory. */
bool tg_race_scratch_visit(const tg_races *races, uint32_t param,
                           void (*visit)(void *context, uint32_t set, int64_t first, int64_t count),
                           void *context);

void tg_race_scratch_free(tg_races *races);

#endif
