/* The memory of params that a detector watches: a number for each of its places, and their lock. */
#ifndef TG_CHECKS_MEMORY_PLANES_H
#define TG_CHECKS_MEMORY_PLANES_H

#include <pthread.h>

#include "checks/plane.h"
#include "interp/state/observer.h"
#include "plan/plan.h"

/* Memory of an input and an output is that of the input (tg_param_owner). */
typedef struct tg_memory_planes {
    const tg_kernel *kernel;
    tg_plane *plane;      /* per param */
    size_t *width;        /* per param: bytes of a place; 0: it is not watched */
    pthread_mutex_t lock; /* for the detector, where programs run on several threads */
} tg_memory_planes;

/* Nothing is watched yet.  False without memory, and then there is nothing to free. */
bool tg_memory_planes_init(tg_memory_planes *memory, const tg_kernel *kernel);
void tg_memory_planes_free(tg_memory_planes *memory);

/* Watches the memory of the param, whose elements are its places. */
void tg_memory_planes_watch(tg_memory_planes *memory, uint32_t param);

/* Makes places of what is watched as narrow as the narrowest elements that any op of the body
 * touches there. */
void tg_memory_planes_narrow(tg_memory_planes *memory, const tg_plan *plan);

/* All places have number 0: at the start of each run.  False without memory. */
bool tg_memory_planes_begin(tg_memory_planes *memory);

/* Whether no plane has lost anything for want of memory. */
bool tg_memory_planes_are_complete(const tg_memory_planes *memory);

/* Whether the memory of the param is watched. */
static inline bool tg_memory_planes_watches(const tg_memory_planes *memory, uint32_t param)
{
    return memory->width[tg_param_owner(memory->kernel, param)] != 0;
}

/* Number of the element of the param to which the place belongs. */
int64_t tg_memory_planes_element(const tg_memory_planes *memory, uint32_t param, int64_t place);

/* As tg_plane_update_box and tg_plane_visit for the places of an access of memory that is watched. */
void tg_memory_planes_update(tg_memory_planes *memory, const tg_access_event *event,
                             tg_plane_fn *next, void *context);
void tg_memory_planes_visit(const tg_memory_planes *memory, const tg_access_event *event,
                            tg_plane_visitor *visit, void *context);

#endif
