/* An access event as a box of a plane. */
#ifndef TG_CHECKS_ACCESS_BOX_H
#define TG_CHECKS_ACCESS_BOX_H

#include "checks/plane.h"
#include "interp/state/observer.h"

/* The box of an access whose elements are as wide as the places of the plane. */
static inline tg_plane_box tg_access_box(const tg_access_event *event)
{
    tg_plane_box box;
    box.rank = event->rank;
    box.first = event->first;
    for (int d = 0; d < event->rank; d++) {
        box.count[d] = event->count[d];
        box.stride[d] = event->stride[d];
    }
    return box;
}

#endif
