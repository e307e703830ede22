/* The rules of element-wise ops. */
#ifndef TG_CHECKS_UNDEFINED_LANES_H
#define TG_CHECKS_UNDEFINED_LANES_H

#include "checks/undefined/step_trail.h"

/* One lane op over a strip. */
typedef struct tg_lane_shadow {
    const tg_lane *lane;
    const uint32_t *words[TG_MAX_LANE_INPUTS]; /* NULL: all defined */
    const void *values[TG_MAX_LANE_INPUTS];    /* carriers, where tg_lane_needs_values */
    uint32_t *out;                             /* may be one of `words` */
    size_t count;
} tg_lane_shadow;

/* The words of what the op leaves, some word of its operands being there. */
void tg_lane_rule(const tg_lane_shadow *shadow, tg_step_trail *step);

#endif
