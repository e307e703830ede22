/* The memory of the parameters that a detector watches: a number for each place, and a lock. */
#ifndef TG_CHECKS_MEMORY_PLANES_H
#define TG_CHECKS_MEMORY_PLANES_H

#include <pthread.h>

#include "checks/plane.h"
#include "interp/state/observer.h"
#include "plan/plan.h"

/* Memory that an input and an output share counts as memory of the input (tg_param_owner). */
typedef struct tg_memory_planes {
    const tg_kernel *kernel;
    tg_plane *plane;      /* per param */
    size_t *width;        /* per param: bytes of a place; 0: not watched */
    pthread_mutex_t lock; /* for the detector, if programs run on several threads */
} tg_memory_planes;

/* Watches nothing at first.  Returns false if memory runs out; then there is nothing to free. */
bool tg_memory_planes_init(tg_memory_planes *memory, const tg_kernel *kernel);
void tg_memory_planes_free(tg_memory_planes *memory);

/* Watches the memory of the param.  Its places are the elements of the param. */
void tg_memory_planes_watch(tg_memory_planes *memory, uint32_t param);

/* Makes the places of watched memory as narrow as the narrowest elements that an op of the body
 * accesses there. */
void tg_memory_planes_narrow(tg_memory_planes *memory, const tg_plan *plan);

/* Sets the numbers of all places to 0, at the start of each run.  Returns false if memory runs
 * out. */
bool tg_memory_planes_begin(tg_memory_planes *memory);

/* Returns whether no plane has lost anything because memory ran out. */
bool tg_memory_planes_are_complete(const tg_memory_planes *memory);

/* Returns whether the memory of the param is watched. */
static inline bool tg_memory_planes_watches(const tg_memory_planes *memory, uint32_t param)
{
    return memory->width[tg_param_owner(memory->kernel, param)] != 0;
}

/* Returns the number of the element of the param that contains the place. */
int64_t tg_memory_planes_element(const tg_memory_planes *memory, uint32_t param, int64_t place);

/* Like tg_plane_update_box and tg_plane_visit, for the places of an access to watched memory. */
void tg_memory_planes_update(tg_memory_planes *memory, const tg_access_event *event,
                             tg_plane_fn *next, void *context);
void tg_memory_planes_visit(const tg_memory_planes *memory, const tg_access_event *event,
                            tg_plane_visitor *visit, void *context);

#endif
