#include "gpu_backend/instructions/in_place.h"

#include <stdint.h>

#include "base/arena.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/instructions/access_walk.h"

static bool takes_any_storage(tg_inst_kind kind)
{
    return kind == TG_I_DOT || kind == TG_I_GROUP || kind == TG_I_REDUCE || kind == TG_I_COPY ||
           kind == TG_I_PRINT || kind == TG_I_LOAD || kind == TG_I_TARGET || kind == TG_I_STORE;
}

static void want_dense(void *context, const tg_operand *o, bool is_written)
{
    tg_ptx_emitter *em = context;
    (void)is_written;
    em->in_place[o->slot].must_be_dense = true;
}

/* A product writes a stack of dense matrices, unless it has an addend. */
static bool is_dense_product(const tg_inst *inst)
{
    return inst->kind == TG_I_DOT && !inst->as.dot->has_addend;
}

bool tg_ptx_find_in_place(tg_ptx_emitter *em)
{
    const tg_plan *plan = em->plan;
    em->in_place = tg_arena_take(&em->arena, plan->slot_count, sizeof *em->in_place);
    if (!em->in_place) return false;
    for (uint32_t i = 0; i < plan->body.count; i++) {
        const tg_inst *inst = &plan->body.list[i];
        if (!takes_any_storage(inst->kind)) tg_inst_operands(inst, want_dense, em);
        if (is_dense_product(inst)) want_dense(em, &inst->as.dot->out, true);
    }
    return true;
}

static bool is_known(const tg_ptx_emitter *em, const tg_access_dim *dim)
{
    return !dim->has_operand || em->plan->slots[dim->operand.slot].kind == TG_SLOT_CONSTANT;
}

bool tg_ptx_may_stay(tg_ptx_emitter *em, const struct tg_inst_access *access)
{
    const tg_access_plan *a = &access->access;
    const tg_ptx_ref *ref = &em->refs[a->ref];
    if (!access->may_be_in_place || em->in_place[access->value.slot].must_be_dense || a->has_mask)
        return false;
    if (ref->through || ref->space != TG_PTX_GLOBAL || !ref->extent.is_array) return false;
    if (!ref->is_inside.is_known || !ref->is_inside.known) return false;
    for (int d = 0; d < a->rank; d++)
        if (!is_known(em, &a->dims[d]) || !tg_ptx_is_inside(em, a, d)) return false;
    return true;
}

void tg_ptx_leave_in_place(tg_ptx_emitter *em, const struct tg_inst_access *access)
{
    const tg_ptx_uniform base = tg_ptx_access_base(em, &access->access);
    em->in_place[access->value.slot] =
        (tg_ptx_in_place){.is_set = true,
                          .base = tg_ptx_uniform_reg(em, base),
                          .multiple = tg_ptx_multiple_of(base),
                          .extent = em->refs[access->access.ref].extent};
}

bool tg_ptx_is_stored(const tg_ptx_emitter *em, const struct tg_inst_access *store)
{
    return store->may_be_in_place && em->in_place[store->value.slot].is_set;
}
