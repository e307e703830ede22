/* Order `parallel`: threads of an executor, each of which takes a few chains at a time.
 *
 * A chain whose program waits in a loop keeps its machine, and its thread goes on with others.
 * When all chains have begun, each thread tries its waiting ones again and again, as long as any
 * thread makes progress.  When none does, one thread alone runs all that wait, as in order
 * `sequential`: then memory changes only by the program that runs, so it is certain whether anybody
 * can end a wait. */
#ifndef TG_SCHEDULE_THREADS_H
#define TG_SCHEDULE_THREADS_H

#include "schedule/walk.h"

/* Walks the grid with threads.  Returns TG_ERR_NO_MEMORY if memory runs out. */
tg_status tg_walk_threads(tg_walk *w);

#endif
