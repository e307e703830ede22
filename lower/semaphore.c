#include "lower/semaphore.h"

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"
#include "ir/reduction.h"

/* Returns a ref of semaphores, which must be strided. */
static tg_ref_id semaphore_ref(tg_lowerer *l, const tg_op *op, uint32_t operand)
{
    tg_ref_id ref = l->value_ref[op->in[operand]];
    if (l->refs[ref].has_no_strides)
        tg_lower_fail(l, TG_ERR_UNSUPPORTED, op,
                      "operand %u was reshaped or bitcast so that no strides say where its "
                      "elements are",
                      (unsigned)operand);
    return ref;
}

static bool is_shared(const tg_lowerer *l, uint32_t root)
{
    return root != UINT32_MAX && l->kernel->params[root].is_shared;
}

static struct tg_inst_semaphore *new_semaphore(tg_lowerer *l, const tg_op *op, uint32_t operand)
{
    struct tg_inst_semaphore *semaphore = tg_lower_take(l, 1, sizeof *semaphore);
    if (!semaphore) return NULL;
    semaphore->ref = semaphore_ref(l, op, operand);
    semaphore->root = l->refs[semaphore->ref].root;
    if (is_shared(l, semaphore->root)) l->plan->is_coupled = true;
    return semaphore;
}

/* Semaphores of other chains are at the same offset in their scratch. */
static void set_chain(tg_lowerer *l, const tg_op *op, struct tg_inst_semaphore *semaphore)
{
    if (op->in_count != 3) return;
    if (is_shared(l, semaphore->root)) {
        tg_lower_fail(l, TG_ERR_UNSUPPORTED, op,
                      "operand 0 is shared by all programs, so that no chain has its own");
        return;
    }
    if (semaphore->root == UINT32_MAX) {
        tg_lower_fail(l, TG_ERR_UNSUPPORTED, op,
                      "operand 0 is in scoped memory, which other chains do not share the place "
                      "of; it must be in scratch");
        return;
    }
    semaphore->has_chain = l->plan->is_coupled = true;
    semaphore->chain = tg_lower_operand(l, op->in[2]);
}

void tg_lower_op_semaphore(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_semaphore *semaphore = new_semaphore(l, op, 0);
    if (!semaphore) return;
    set_chain(l, op, semaphore);
    if (op->code == TG_OP_semaphore_read)
        semaphore->value = tg_lower_result(l, op->out[0]);
    else
        semaphore->value = tg_lower_operand(l, op->in[1]);
    semaphore->keeps = tg_op_int(op, TG_ATTR_keep, 0) != 0;
    tg_lower_emit(l, TG_I_SEMAPHORE, op->code, op->loc)->as.semaphore = semaphore;
}

void tg_lower_op_dma_wait(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_semaphore *semaphore = new_semaphore(l, op, 1);
    if (!semaphore) return;
    semaphore->copied = l->value_ref[op->in[0]];
    semaphore->copied_type = *tg_type_of(l->kernel, op->in[0]);
    tg_lower_emit(l, TG_I_SEMAPHORE, op->code, op->loc)->as.semaphore = semaphore;
}

static void set_told(tg_lowerer *l, const tg_op *op, struct tg_inst_async *dma)
{
    dma->told = TG_ASYNC_TELLS_GROUP;
    dma->signal_root = UINT32_MAX;
    if (op->in_count == 2) return;
    dma->signal = semaphore_ref(l, op, 2);
    dma->signal_root = l->refs[dma->signal].root;
    dma->told = tg_type_of(l->kernel, op->in[2])->dtype == TG_DT_barrier ? TG_ASYNC_TELLS_BARRIER
                                                                         : TG_ASYNC_TELLS_SEMAPHORE;
    dma->is_expected = tg_op_int(op, TG_ATTR_expected, 0) != 0;
}

tg_async_place tg_lower_place(tg_lowerer *l, tg_value_id value)
{
    tg_async_place place = {.type = *tg_type_of(l->kernel, value), .root = UINT32_MAX};
    place.is_value = !place.type.is_ref;
    if (place.is_value) {
        place.value = tg_lower_operand(l, value);
    } else {
        place.ref = l->value_ref[value];
        place.root = l->refs[place.ref].root;
    }
    return place;
}

/* What performs a copy, or one that a group or a wait is of. */
static tg_async_engine engine_of(const tg_op *op)
{
    static const tg_async_engine of_side[] = {TG_ENGINE_LOADS, TG_ENGINE_STORES}; /* attrs.def */
    if (tg_op_attr(op, TG_ATTR_registers)) return of_side[tg_op_int(op, TG_ATTR_registers, 0)];
    const bool is_of_products = op->code == TG_OP_dot_commit || op->code == TG_OP_dot_wait_groups;
    return is_of_products || tg_op_int(op, TG_ATTR_among_products, 0) ? TG_ENGINE_PRODUCTS
                                                                      : TG_ENGINE_COPIES;
}

void tg_lower_op_dma_start(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_async *dma = tg_lower_take(l, 1, sizeof *dma);
    if (!dma) return;
    dma->source[0] = tg_lower_place(l, op->in[0]);
    dma->source_count = 1;
    dma->to = tg_lower_place(l, op->in[1]);
    set_told(l, op, dma);
    dma->engine = engine_of(op);
    dma->zero_outside =
        tg_op_int(op, TG_ATTR_outside, 0) == tg_attr_name_index(TG_ATTR_outside, "zero");
    dma->combines = tg_op_attr(op, TG_ATTR_kind) != NULL;
    dma->combine = tg_atomic_op(tg_op_int(op, TG_ATTR_kind, 0));
    tg_lower_emit(l, TG_I_DMA, op->code, op->loc)->as.async = dma;
}

void tg_lower_op_dot_arrive(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_async *arrival = tg_lower_take(l, 1, sizeof *arrival);
    if (!arrival) return;
    arrival->engine = TG_ENGINE_PRODUCTS;
    arrival->told = TG_ASYNC_ARRIVES;
    arrival->to.root = UINT32_MAX;
    arrival->signal = semaphore_ref(l, op, 0);
    arrival->signal_root = l->refs[arrival->signal].root;
    tg_lower_emit(l, TG_I_ARRIVAL, op->code, op->loc)->as.async = arrival;
}

void tg_lower_op_async_group(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_async_group *group = tg_lower_take(l, 1, sizeof *group);
    if (!group) return;
    group->engine = engine_of(op);
    group->waits = op->in_count == 1;
    if (group->waits) group->newest = tg_lower_operand(l, op->in[0]);
    group->reads = tg_op_int(op, TG_ATTR_reads, 0) != 0;
    group->is_promised = tg_op_int(op, TG_ATTR_promised, 0) != 0;
    group->followers = tg_op_int(op, TG_ATTR_followers, 0);
    tg_lower_emit(l, TG_I_ASYNC_GROUP, op->code, op->loc)->as.async_group = group;
}

void tg_lower_op_proxy_fence(tg_lowerer *l, const tg_op *op)
{
    tg_lower_emit(l, TG_I_PROXY_FENCE, op->code, op->loc);
}
