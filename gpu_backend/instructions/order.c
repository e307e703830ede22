#include "gpu_backend/instructions/order.h"

#include <stdio.h>

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/cluster.h"
#include "gpu_backend/text/writer.h"

const char *tg_ptx_scope_of(const tg_ptx_emitter *em, const struct tg_inst_access *atomic)
{
    if (atomic->scope == TG_SCOPE_CTA) return tg_ptx_scope(em);
    return atomic->scope == TG_SCOPE_SYS ? "sys" : "gpu";
}

const char *tg_ptx_relaxed(const tg_ptx_emitter *em, char out[TG_PTX_ORDER_TEXT])
{
    const struct tg_inst_access *atomic = tg_inst_atomic(em->inst);
    *out = '\0';
    if (atomic) snprintf(out, TG_PTX_ORDER_TEXT, "relaxed.%s.", tg_ptx_scope_of(em, atomic));
    return out;
}

/* An addition whose result nobody gets orders the threads of a program alone: its memory is read when all is done. */
static const char *fence_of(const tg_ptx_emitter *em, const tg_inst *inst, bool is_behind)
{
    const struct tg_inst_access *atomic = tg_inst_atomic(inst);
    if (!atomic) return NULL;
    if (inst->op == TG_OP_add_update) return em->teams * em->blocks == 1 ? NULL : tg_ptx_scope(em);
    const bool orders = is_behind ? tg_atomic_acquires(atomic) : tg_atomic_releases(atomic);
    return orders ? tg_ptx_scope_of(em, atomic) : NULL;
}

void tg_ptx_begin_order(tg_ptx_emitter *em, const tg_inst *inst)
{
    const char *const scope = fence_of(em, inst, false);
    if (!scope) return;
    tg_ptx_barrier(em);
    tg_ptx_ready_again(em);
    tg_ptx_row(&em->w, "fence.acq_rel.%s;", scope);
}

void tg_ptx_end_order(tg_ptx_emitter *em, const tg_inst *inst)
{
    const char *const scope = fence_of(em, inst, true);
    if (!scope) return;
    tg_ptx_row(&em->w, "fence.acq_rel.%s;", scope);
    tg_ptx_barrier(em);
}
