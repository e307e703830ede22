/* What becomes of the strides of a reference whose elements are seen in another shape or dtype. */
#ifndef TG_PLAN_RECAST_H
#define TG_PLAN_RECAST_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/op.h"
#include "plan/inst.h"

typedef enum tg_recast_way {
    TG_RECAST_PERMUTED, /* dimension d is dimension permutation[d] of the reference it comes from */
    TG_RECAST_SAME,     /* strides and bounds stay: other elements of the same width */
    TG_RECAST_STRIDED,  /* new strides, all of it inside the array */
    /* No strides say it: they number the elements, row-major, and each access finds its way back to
     * the reference that it comes from. */
    TG_RECAST_NUMBERED
} tg_recast_way;

/* Which way `op`, a view_transpose, view_reshape or view_bitcast, goes, and the strides of its
 * result in `stride`, which has room for TG_MAX_RANK.
 *   from      the strides of the reference that it comes from, TG_MAX_RANK of them
 *   is_whole  whether all of that one is inside its array; only then new strides say enough */
tg_recast_way tg_recast_strides(tg_opcode op, const struct tg_inst_recast *recast,
                                const int64_t *from, bool is_whole, int64_t *stride);

#endif
