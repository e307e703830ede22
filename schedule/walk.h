/* A walk over a grid: what to run, and the results. */
#ifndef TG_SCHEDULE_WALK_H
#define TG_SCHEDULE_WALK_H

#include <time.h>

#include "plan/grid.h"
#include "interp/state/order.h"
#include "schedule/machines.h"
#include "tilegrind/executor.h"

enum { TG_STOPPED_TEXT = 300 };

typedef struct tg_walk {
    tg_launch *launch;
    const tg_grid *grid;
    const tg_order *order;
    tg_machines *machines;
    const tg_executor *executor; /* its threads serve order `parallel` */
    /* Called now and then on the calling thread, also from within loops; NULL: never.  A result
     * other than 0 stops the walk. */
    int (*progress)(void *context, int64_t done, int64_t total);
    void *context;
    /* results */
    int64_t done; /* programs that ran to their end */
    int threads;
    bool is_stopped;
    /* Where the program of the calling thread was stopped in a loop; "" if it was not. */
    char where[TG_STOPPED_TEXT];
    /* private */
    int64_t next;
    int taken; /* machines that actors have or have had */
    bool is_shared;
    struct timespec shown;
    /* Programs of the calling thread since it last asked whether to stop, and between two such
     * questions. */
    uint32_t ended, patience;
    double asked;
} tg_walk;

/* Chains that signal each other are all in flight at once. */
enum { TG_MOST_COUPLED = 1024 };

#endif
