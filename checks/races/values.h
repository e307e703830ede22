/* Values that are written again: whether all writes to a place write one value. */
#ifndef TG_CHECKS_RACES_VALUES_H
#define TG_CHECKS_RACES_VALUES_H

#include "checks/races/state.h"

/* tg_races_intend is called before a write, with an event of kind TG_ACCESS_INTENT;
 * tg_races_compare is called after it, when `races->event` is the write. */
void tg_races_before_write(tg_races *races, const tg_access_event *event);
void tg_races_compare(tg_races *races);

#endif
