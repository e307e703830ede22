#include "gpu_backend/kernel/hazard.h"

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/instructions/dma.h"
#include "gpu_backend/instructions/in_place.h"
#include "gpu_backend/instructions/reduce.h"
#include "ir/op.h"

static void touch_operand(void *context, const tg_operand *o, bool is_written)
{
    tg_ptx_access_slot(context, o->slot, is_written);
}

/* All threads read the counter of a loop first; then one thread sets it, for which
 * tg_ptx_inst_for_next declares the write. */
static void touch_counter(void *context, const tg_operand *o, bool is_written)
{
    (void)is_written;
    tg_ptx_access_slot(context, o->slot, false);
}

size_t tg_ptx_extra(const tg_ptx_emitter *em, const tg_inst *inst)
{
    if (inst->kind == TG_I_DMA) return tg_ptx_dma_extra(em->plan->kernel, inst->as.async);
    if (inst->kind == TG_I_PRINT) return sizeof(uint64_t);
    return inst->kind == TG_I_REDUCE ? tg_ptx_reduce_extra(inst->as.reduce) : 0;
}

/* Whether a load or store only says where its block is. */
static bool is_left_in_place(tg_ptx_emitter *em, const tg_inst *inst)
{
    if (inst->kind == TG_I_LOAD) return tg_ptx_may_stay(em, inst->as.access);
    return inst->kind == TG_I_STORE && tg_ptx_is_stored(em, inst->as.access);
}

static void touch_scope(void *context, tg_slot_id slot) { tg_ptx_access_slot(context, slot, true); }

typedef struct toucher {
    tg_ptx_emitter *em;
    const tg_inst *inst;
} toucher;

/* A wait reads its semaphore first.  Its subtraction is declared where it is emitted
 * (semaphore.c). */
static bool is_changed(const tg_inst *inst, tg_ref_use use)
{
    if (use == TG_REF_AWAITED)
        return !(tg_inst_traits[inst->kind] & TG_INST_BLOCKS) || inst->op == TG_OP_semaphore_signal;
    return use & TG_REF_WRITTEN;
}

/* An mbarrier may be used by any number of threads at the same time. */
static bool is_barrier(const toucher *t, tg_ref_id ref)
{
    return t->em->plan->ref_types[ref].dtype == TG_DT_barrier;
}

static void touch_ref(void *context, tg_ref_use use, tg_ref_id ref, uint32_t root)
{
    const toucher *t = context;
    (void)root;
    if (use != TG_REF_VIEWED)
        tg_ptx_access_extent(t->em, t->em->refs[ref].extent,
                             is_changed(t->inst, use) && !is_barrier(t, ref));
}

void tg_ptx_access_inst(tg_ptx_emitter *em, const tg_inst *inst)
{
    if (inst->kind == TG_I_TARGET || is_left_in_place(em, inst)) return;
    tg_inst_operands(inst, inst->kind == TG_I_FOR_NEXT ? touch_counter : touch_operand, em);
    if (inst->kind == TG_I_SCOPE) tg_inst_slots(inst, touch_scope, em);
    toucher t = {em, inst};
    tg_inst_refs(inst, touch_ref, &t);
    const size_t own = tg_ptx_extra(em, inst);
    if (own) tg_ptx_access_extent(em, tg_ptx_extent_of(em->extra_offset, own), true);
}
