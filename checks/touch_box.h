/* A touch as a box of a plane. */
#ifndef TG_CHECKS_TOUCH_BOX_H
#define TG_CHECKS_TOUCH_BOX_H

#include "checks/plane.h"
#include "interp/state/observer.h"

/* In places, for a touch that is as wide as they are. */
static inline tg_plane_box tg_touch_box(const tg_touch *touch)
{
    tg_plane_box box;
    box.rank = touch->rank;
    box.first = touch->first;
    for (int d = 0; d < touch->rank; d++) {
        box.count[d] = touch->count[d];
        box.stride[d] = touch->stride[d];
    }
    return box;
}

#endif
