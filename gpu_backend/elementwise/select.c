#include "gpu_backend/elementwise/select.h"

#include <stdint.h>

#include "gpu_backend/elementwise/rows.h"
#include "gpu_backend/text/template.h"
#include "ir/op.h"

/* The predicate "which >= k"; a bool counts as 0 or 1. */
static tg_ptx_reg reaches(const tg_ptx_lane_op *l, uint32_t k)
{
    return tg_ptx_result(l->w, TG_PTX_PRED, "setp.ge.s32 $, %s, %u;", l->in[0].name, k);
}

/* Starts with the first case, so that an index out of range selects the nearest one. */
tg_ptx_reg tg_ptx_select(const tg_ptx_lane_op *l)
{
    const char *const untyped = tg_ptx_untyped(l->dtype);
    const tg_ptx_class class = tg_ptx_class_of(l->dtype);
    tg_ptx_reg chosen = tg_ptx_result(l->w, class, "mov.%s $, %s;", untyped, l->in[1].name);
    for (uint32_t k = 1; k + 1 < l->count; k++) {
        const tg_ptx_reg p = reaches(l, k);
        chosen = tg_ptx_result(l->w, class, "selp.%s $, %s, %s, %s;", untyped, l->in[k + 1].name,
                               chosen.name, p.name);
    }
    return chosen;
}

tg_ptx_reg tg_ptx_clamp(const tg_ptx_lane_op *l)
{
    const tg_ptx_reg least = tg_ptx_rows_of_two(l, TG_OP_max, l->in[1], l->in[0]);
    return tg_ptx_rows_of_two(l, TG_OP_min, least, l->in[2]);
}
