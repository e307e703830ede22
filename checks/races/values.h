/* Values that are written again: whether what is written to a place is one value. */
#ifndef TG_CHECKS_RACES_VALUES_H
#define TG_CHECKS_RACES_VALUES_H

#include "checks/races/state.h"

/* Before an access is written, whose kind is TG_ACCESS_INTENT; and when it has been, which
 * `races->event` is. */
void tg_races_intend(tg_races *races, const tg_access_event *event);
void tg_races_compare(tg_races *races);

#endif
