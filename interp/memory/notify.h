/* Notifies observers of what the program in flight accesses. */
#ifndef TG_INTERP_MEMORY_NOTIFY_H
#define TG_INTERP_MEMORY_NOTIFY_H

#include "interp/state/machine.h"

/* Returns whether any observer wants this access. */
static inline bool tg_is_watched(const tg_machine *m, const tg_access_plan *a, tg_access_kind kind)
{
    return (m->launch->watched & kind) && a->root != UINT32_MAX &&
           m->launch->buffers[a->root].is_observed;
}

/* Notifies detectors, the caller's observer and loops that wait.  Sets the event's memory. */
void tg_machine_notify(const tg_machine *m, tg_access_event *event);

/* The same; also sets the program of the event. */
void tg_machine_accessed(const tg_machine *m, tg_access_event *event);

/* The same for a run of elements of `width` bytes, `stride` apart. */
void tg_machine_accessed_run(const tg_machine *m, const tg_inst *inst, tg_access_kind kind,
                             size_t width, int64_t first, int64_t stride, int64_t count);

#endif
