/* A walk over a grid: what is to be run, and what came of it. */
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
    const tg_executor *executor; /* whose threads order parallel takes */
    /* Called now and then on the calling thread, also from within loops; NULL: none; non-zero stops the walk. */
    int (*progress)(void *context, int64_t done, int64_t total);
    void *context;
    /* results */
    int64_t done; /* programs that ran to their end */
    int threads;
    bool is_stopped;
    char where
        [TG_STOPPED_TEXT]; /* the program of the calling thread that was stopped in a loop; "" where none was */
    /* private */
    int64_t next;
    int taken; /* machines that chains have or have had */
    bool is_shared;
    struct timespec shown;
    uint32_t ended,
        patience; /* programs of the calling thread since it asked whether to stop; after how many it asks again */
    double asked;
} tg_walk;

/* Chains that signal each other are all in flight at once. */
enum { TG_MOST_COUPLED = 1024 };

#endif
