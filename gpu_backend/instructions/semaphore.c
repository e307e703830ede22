/* One CTA runs a chain, and copies take place where they start (dma.c).  So if a semaphore is too
 * low when a program of a single thread waits for it, no one can raise it any more: the wait never ends.  That is
 * reported, and the chain ends there. */
#include "gpu_backend/instructions/semaphore.h"
#include "gpu_backend/instructions/insts.h"

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/cluster.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/emit/refuse.h"
#include "gpu_backend/emit/report.h"
#include "gpu_backend/emit/scalar.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/instructions/semaphore_threads.h"
#include "gpu_backend/text/ptx.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"

/* The address of the counter.  For a semaphore outside its array, which has been reported, it is
 * the address of another one, which must stay unchanged. */
static tg_ptx_reg place_of(tg_ptx_emitter *em, const tg_ptx_ref *ref)
{
    const tg_ptx_uniform place = tg_ptx_choose(em, ref->is_inside, ref->origin, tg_ptx_known(0));
    const tg_ptx_uniform offset = tg_ptx_mul(em, place, tg_dtypes[TG_DT_sem].bytes);
    return tg_ptx_uniform_reg(em, tg_ptx_add(em, tg_ptx_ref_base(em, ref), offset));
}

static tg_ptx_uniform count_of(tg_ptx_emitter *em, const tg_ptx_ref *ref)
{
    const tg_ptx_reg at = place_of(em, ref);
    if (em->teams * em->blocks > 1) return tg_ptx_semaphore_read_among(em, ref->space, at);
    return tg_ptx_held(tg_ptx_load_carrier(em, ref->space, TG_DT_i64, at, 0));
}

void tg_ptx_semaphore_raise(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_ptx_uniform by)
{
    const tg_ptx_reg at = place_of(em, ref),
                     amount = tg_ptx_uniform_reg(
                         em, tg_ptx_choose(em, ref->is_inside, by, tg_ptx_known(0)));
    if (em->teams * em->blocks > 1) {
        tg_ptx_semaphore_raise_among(em, ref->space, at, amount);
        return;
    }
    const tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    const tg_ptx_reg now = tg_ptx_load_carrier(em, ref->space, TG_DT_i64, at, 0);
    const tg_ptx_uniform sum = tg_ptx_add(em, tg_ptx_held(now), tg_ptx_held(amount));
    tg_ptx_store_carrier(em, ref->space, TG_DT_i64, at, 0, tg_ptx_uniform_reg(em, sum));
    tg_ptx_loop_end(em, &one);
}

tg_ptx_uniform tg_ptx_copied_bytes(tg_ptx_emitter *em, const tg_ptx_ref *ref, const tg_type *type)
{
    tg_ptx_uniform bytes = tg_ptx_known(tg_dtypes[type->dtype].bytes);
    for (int d = 0; d < type->rank; d++) bytes = tg_ptx_product(em, bytes, ref->shape[d]);
    return bytes;
}

/* Others may raise it.  A semaphore outside its array, which has been reported, is not waited for. */
static void wait_for_others(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_ptx_uniform wanted,
                            bool keeps)
{
    const uint32_t skip = tg_ptx_new_label(&em->w);
    const tg_ptx_reg at = place_of(em, ref), least = tg_ptx_uniform_reg(em, wanted);
    tg_ptx_settle(em);
    if (!tg_ptx_is_known(ref->is_inside, 1))
        tg_ptx_row(&em->w, "@!%s bra.uni $L%u;", tg_ptx_is_set(em, ref->is_inside).name, skip);
    tg_ptx_semaphore_wait_among(em, ref->space, at, least, keeps);
    if (!tg_ptx_is_known(ref->is_inside, 1)) tg_ptx_label(&em->w, skip);
}

/* All threads read the counter before one of them changes it. */
static void wait_for(tg_ptx_emitter *em, const tg_ptx_ref *ref, tg_ptx_uniform wanted, bool keeps)
{
    if (em->teams * em->blocks > 1) {
        wait_for_others(em, ref, wanted, keeps);
        return;
    }
    const tg_ptx_uniform missing =
        tg_ptx_both(em, ref->is_inside, tg_ptx_is_less(em, count_of(em, ref), wanted));
    const tg_ptx_reg never = tg_ptx_is_set(em, missing);
    tg_ptx_report(em, TG_PTX_SITE_DEADLOCK, never);
    tg_ptx_settle(em);
    tg_ptx_row(&em->w, "@%s bra.uni $L%u;", never.name, em->end_chain);
    em->ends_early = true;
    if (keeps) return;
    tg_ptx_access_extent(em, ref->extent, true);
    tg_ptx_ready(em);
    tg_ptx_semaphore_raise(em, ref, tg_ptx_sub(em, tg_ptx_known(0), wanted));
}

static bool is_shared(const tg_ptx_emitter *em, uint32_t root)
{
    return root != UINT32_MAX && em->plan->kernel->params[root].is_shared;
}

void tg_ptx_inst_semaphore(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_semaphore *semaphore = inst->as.semaphore;
    const tg_ptx_ref *ref = &em->refs[semaphore->ref];
    const tg_ptx_uniform most = tg_ptx_known(INT32_MAX), nothing = tg_ptx_known(0);
    if (semaphore->has_chain || is_shared(em, semaphore->root))
        tg_ptx_refuse(em, TG_PTX_REFUSES_CHAINS, "%s", tg_ops[em->inst->op].name);
    switch (em->inst->op) {
    case TG_OP_semaphore_read: {
        const tg_ptx_uniform count = tg_ptx_min(em, count_of(em, ref), most);
        tg_ptx_set_scalar(em, &semaphore->value, tg_ptx_choose(em, ref->is_inside, count, nothing));
        return;
    }
    case TG_OP_semaphore_signal:
        tg_ptx_semaphore_raise(em, ref, tg_ptx_scalar(em, &semaphore->value));
        return;
    case TG_OP_dma_wait:
        wait_for(em, ref,
                 tg_ptx_copied_bytes(em, &em->refs[semaphore->copied], &semaphore->copied_type),
                 false);
        return;
    default: wait_for(em, ref, tg_ptx_scalar(em, &semaphore->value), semaphore->keeps); return;
    }
}
