/* Each thread runs an instruction at its own pace.  Other threads see what it wrote only after the
 * next barrier, and must not overwrite what it still reads before that.  So a barrier precedes each
 * instruction that accesses what an earlier one since the last barrier accessed, unless both only
 * read; and a barrier stands wherever control flow joins. */
#include "gpu_backend/emit/barrier.h"

#include <stdint.h>

#include "gpu_backend/text/writer.h"
#include "plan/allocate.h"

bool tg_ptx_overlap(const tg_ptx_extent *a, const tg_ptx_extent *b)
{
    if (a->is_array != b->is_array) return false;
    if (a->is_array) return a->array == b->array;
    return a->start < b->end && b->start < a->end;
}

static bool conflicts(const tg_ptx_accesses *a, const tg_ptx_accesses *b)
{
    if (a->count > TG_PTX_MOST_ACCESSES || b->count > TG_PTX_MOST_ACCESSES) return a->count > 0;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++)
            if ((a->list[i].is_write || b->list[j].is_write) &&
                tg_ptx_overlap(&a->list[i].extent, &b->list[j].extent))
                return true;
    return false;
}

static void add(tg_ptx_accesses *to, const tg_ptx_access *touch)
{
    if (to->count < TG_PTX_MOST_ACCESSES) to->list[to->count] = *touch;
    to->count++;
}

void tg_ptx_access_extent(tg_ptx_emitter *em, tg_ptx_extent extent, bool is_write)
{
    add(&em->now, &(tg_ptx_access){extent, is_write});
}

tg_ptx_extent tg_ptx_extent_of(size_t start, size_t bytes)
{
    return (tg_ptx_extent){.start = start, .end = start + bytes};
}

/* Among slots that exchange memory, each may be at the position of any other. */
void tg_ptx_access_slot(tg_ptx_emitter *em, tg_slot_id id, bool is_write)
{
    const tg_plan *plan = em->plan;
    const tg_slot *slot = &plan->slots[id];
    if (slot->kind != TG_SLOT_WORK) return;
    if (em->in_place[id].is_set) {
        tg_ptx_access_extent(em, em->in_place[id].extent, is_write);
        return;
    }
    if (!em->has_base[id]) {
        tg_ptx_access_extent(em, tg_ptx_extent_of(slot->offset, slot->bytes), is_write);
        return;
    }
    const tg_slot_id root = tg_plan_exchange_root(plan, id);
    for (tg_slot_id s = 0; s < plan->slot_count; s++)
        if (em->has_base[s] && tg_plan_exchange_root(plan, s) == root)
            tg_ptx_access_extent(em, tg_ptx_extent_of(plan->slots[s].offset, plan->slots[s].bytes),
                                 is_write);
}

void tg_ptx_reads(tg_ptx_emitter *em, const tg_operand *o)
{
    tg_ptx_access_slot(em, o->slot, false);
}

void tg_ptx_writes(tg_ptx_emitter *em, const tg_operand *o)
{
    tg_ptx_access_slot(em, o->slot, true);
}

void tg_ptx_barrier_row(tg_ptx_emitter *em)
{
    if (em->teams == 1)
        tg_ptx_row(&em->w, "barrier.sync 0;");
    else if (em->threads == TG_PTX_WARP)
        tg_ptx_row(&em->w, "bar.warp.sync -1;");
    else
        tg_ptx_row(&em->w, "barrier.sync %s, %u;", em->barrier.name, em->threads);
}

void tg_ptx_barrier(tg_ptx_emitter *em)
{
    tg_ptx_barrier_row(em);
    em->earlier.count = 0;
}

void tg_ptx_barrier_of_all(tg_ptx_emitter *em)
{
    if (em->blocks > 1) {
        tg_ptx_row(&em->w, "barrier.cluster.arrive.release.aligned;");
        tg_ptx_row(&em->w, "barrier.cluster.wait.acquire.aligned;");
    } else {
        tg_ptx_row(&em->w, "barrier.sync 0;");
    }
    em->earlier.count = 0;
}

void tg_ptx_ready(tg_ptx_emitter *em)
{
    if (conflicts(&em->earlier, &em->now)) tg_ptx_barrier(em);
    for (uint32_t i = 0; i < em->now.count; i++)
        add(&em->earlier, &em->now.list[i < TG_PTX_MOST_ACCESSES ? i : 0]);
    em->now.count = 0;
}

void tg_ptx_ready_for_inst(tg_ptx_emitter *em)
{
    em->own = em->now;
    tg_ptx_ready(em);
}

void tg_ptx_ready_again(tg_ptx_emitter *em)
{
    em->now = em->own;
    tg_ptx_ready(em);
}

void tg_ptx_settle(tg_ptx_emitter *em)
{
    if (em->earlier.count) tg_ptx_barrier(em);
}
