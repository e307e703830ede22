/* The machines of a launch. */
#ifndef TG_SCHEDULE_MACHINES_H
#define TG_SCHEDULE_MACHINES_H

#include "interp/state/machine.h"

/* Machines of one launch, made when they are needed and kept for the next walk.  Initialise with
 * zeros. */
typedef struct tg_machines {
    tg_machine **list;
    int count;
    size_t capacity;
} tg_machines;

/* Adds a machine and takes ownership of it.  Returns false, and does not, if memory runs out. */
bool tg_machines_add(tg_machines *machines, tg_machine *m);

void tg_machines_free(tg_machines *machines);

#endif
