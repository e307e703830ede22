/* Order parallel: an executor's threads, each of which takes a few chains at a time.
 *
 * A chain whose program waits in a loop keeps its machine, and its thread goes on with others.  Once no chains are left that have
 * not begun, each thread tries its waiting ones again and again, for as long as some thread gets on.  When none does, one thread goes on
 * alone with all that wait, as in order sequential: what a program looks at does not change under its eyes then, so that
 * it is certain whether anybody can end its wait. */
#ifndef TG_SCHEDULE_THREADS_H
#define TG_SCHEDULE_THREADS_H

#include "schedule/walk.h"

/* Walks the grid so.  TG_ERR_NO_MEMORY. */
tg_status tg_walk_threads(tg_walk *w);

#endif
