/* Walks over a grid: every program is run, in the order that is asked for. */
#ifndef TG_SCHEDULE_SCHEDULE_H
#define TG_SCHEDULE_SCHEDULE_H

#include "schedule/walk.h"

/* Chains that signal each other are no more than TG_MOST_COUPLED.  TG_OK, also when stopped; TG_ERR_NO_MEMORY without room for a single machine. */
tg_status tg_walk_run(tg_walk *walk);

#endif
