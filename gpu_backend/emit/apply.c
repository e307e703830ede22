#include "gpu_backend/emit/apply.h"

#include <stddef.h>

#include "base/diag.h"
#include "gpu_backend/elementwise/lane.h"

tg_ptx_reg tg_ptx_apply(tg_ptx_emitter *em, const tg_ptx_lane_op *l)
{
    tg_ptx_reg out = {0};
    if (!tg_ptx_lane(l, &out) && em->status == TG_OK)
        em->status = tg_fail(em->diags, TG_ERR_INTERNAL, NULL, "kernel %s: no PTX for %s on %s",
                             em->plan->kernel->name, tg_ops[l->op].name, tg_dtypes[l->dtype].name);
    return out;
}

tg_ptx_reg tg_ptx_apply_two(tg_ptx_emitter *em, tg_opcode op, tg_dtype dtype, tg_ptx_reg a,
                            tg_ptx_reg b)
{
    const tg_ptx_reg in[2] = {a, b};
    return tg_ptx_apply(em, &(tg_ptx_lane_op){&em->w, op, dtype, dtype, 0, 2, in});
}
