/* Loads and stores: find each element and move it. */
#include "gpu_backend/instructions/insts.h"

#include <stddef.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/instructions/access_walk.h"
#include "gpu_backend/instructions/in_place.h"
#include "gpu_backend/instructions/order.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* The carrier that a load returns; where it is masked off, that is `other`, or undefined without
 * `other`. */
static tg_ptx_reg read_element(tg_ptx_emitter *em, const tg_ptx_walk *w, const tg_ptx_element *e,
                               const tg_operand *other)
{
    const tg_dtype dtype = w->a->dtype;
    const tg_ptx_reg value = tg_ptx_from_memory(&em->w, dtype, tg_ptx_read_bits(em, w, e));
    if (!e->has_mask || !other) return value;
    return tg_ptx_selp(&em->w, e->mask, value, tg_ptx_load(em, other, e->index));
}

/* ---- load ---- */

static void load_all(tg_ptx_emitter *em, const tg_ptx_walk *w, const tg_operand *to,
                     const tg_operand *other)
{
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, w->count);
    const tg_ptx_element e = tg_ptx_find(em, w, loop.element);
    tg_ptx_store(em, to, e.index, read_element(em, w, &e, other));
    tg_ptx_loop_end(em, &loop);
}

void tg_ptx_inst_load(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_access *load = inst->as.access;
    const tg_access_plan *a = &load->access;
    if (tg_ptx_may_stay(em, load)) {
        tg_ptx_leave_in_place(em, load);
        return;
    }
    const tg_ptx_walk w = tg_ptx_walk_access(em, a);
    if (w.count == 0) return;
    tg_ptx_begin_order(em, inst);
    load_all(em, &w, &load->value, a->has_other ? &a->other : NULL);
    tg_ptx_end_order(em, inst);
}

/* ---- store ---- */

/* Precedes the instructions that compute the value of a store: if the value can be computed in its
 * array, this sets its address. */
void tg_ptx_inst_target(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_access *store = inst->as.access;
    if (tg_ptx_may_stay(em, store)) tg_ptx_leave_in_place(em, store);
}

void tg_ptx_inst_store(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_access *store = inst->as.access;
    const tg_access_plan *a = &store->access;
    if (tg_ptx_is_stored(em, store)) return;
    const tg_ptx_walk w = tg_ptx_walk_access(em, a);
    if (w.count == 0) return;
    if (store->has_old) {
        load_all(em, &w, &store->old, a->has_mask ? &store->value : NULL);
        tg_ptx_barrier(em);
        tg_ptx_ready_again(em);
    }
    tg_ptx_begin_order(em, inst);
    const tg_ptx_loop loop = tg_ptx_begin_stores(em, &w);
    const tg_ptx_element e = tg_ptx_find(em, &w, loop.element);
    const tg_ptx_reg value = tg_ptx_load(em, &store->value, e.index);
    tg_ptx_write_bits(em, &w, &e, tg_ptx_to_memory(&em->w, a->dtype, value));
    tg_ptx_end_stores(em, &w, &loop);
}
