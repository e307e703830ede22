/* Walks over a grid: runs every program, in the order that is asked for. */
#ifndef TG_INTERP_WALK_H
#define TG_INTERP_WALK_H

#include <time.h>

#include "plan/grid.h"
#include "interp/machine.h"
#include "interp/order.h"
#include "tilegrind/executor.h"

/* Machines of one launch, made as they are needed and kept for the next walk.  Zero-initialise. */
typedef struct tg_machines {
    tg_machine **list;
    int count;
    size_t capacity;
} tg_machines;

/* Adds one, which is theirs then; false without memory. */
bool tg_machines_add(tg_machines *machines, tg_machine *m);

void tg_machines_free(tg_machines *machines);

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

/* Chains that signal each other are no more than TG_MOST_COUPLED.  TG_OK, also when stopped; TG_ERR_NO_MEMORY without room for a single machine. */
tg_status tg_walk_run(tg_walk *walk);

#endif
