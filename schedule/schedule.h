/* Walks over a grid: run every program, in the chosen order. */
#ifndef TG_SCHEDULE_SCHEDULE_H
#define TG_SCHEDULE_SCHEDULE_H

#include "schedule/walk.h"

/* Runs the walk; at most TG_MOST_COUPLED chains may signal each other.  Returns TG_OK, also if the
 * walk was stopped, or TG_ERR_NO_MEMORY if not even one machine fits into memory. */
tg_status tg_walk_run(tg_walk *walk);

#endif
