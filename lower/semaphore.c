/* Semaphores, copies that run beside the program, and parts of refs whose length is known at run time only. */
#include <string.h>

#include "lower/impl.h"

/* Refs of semaphores and of what is copied are strided: nothing else is ever moved but as a box. */
static tg_ref_id strided_ref(tg_lowerer *l, const tg_op *op, uint32_t operand)
{
    tg_ref_id ref = l->value_ref[op->in[operand]];
    if (l->refs[ref].has_no_strides)
        tg_lower_fail(l, TG_ERR_UNSUPPORTED, op,
                      "operand %u was reshaped or bitcast so that no strides say where its "
                      "elements are",
                      (unsigned)operand);
    return ref;
}

static struct tg_inst_semaphore *new_semaphore(tg_lowerer *l, const tg_op *op, uint32_t operand)
{
    struct tg_inst_semaphore *semaphore = tg_lower_take(l, 1, sizeof *semaphore);
    semaphore->ref = strided_ref(l, op, operand);
    semaphore->root = l->refs[semaphore->ref].root;
    return semaphore;
}

/* The semaphores of other chains are found at the same place in their scratch. */
static void set_chain(tg_lowerer *l, const tg_op *op, struct tg_inst_semaphore *semaphore)
{
    if (op->in_count != 3) return;
    if (semaphore->root == UINT32_MAX)
        tg_lower_fail(l, TG_ERR_UNSUPPORTED, op,
                      "operand 0 is in scoped memory, which other chains do not share the place "
                      "of; it must be in scratch");
    semaphore->has_chain = l->plan->is_coupled = true;
    semaphore->chain = tg_lower_operand(l, op->in[2]);
}

static void lower_semaphore(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_semaphore *semaphore = new_semaphore(l, op, 0);
    set_chain(l, op, semaphore);
    if (op->code == TG_OP_semaphore_read)
        semaphore->value = tg_lower_result(l, op->out[0]);
    else
        semaphore->value = tg_lower_operand(l, op->in[1]);
    semaphore->keeps = tg_op_int(op, TG_ATTR_keep, 0) != 0;
    tg_lower_emit(l, TG_I_SEMAPHORE, op->code, op->loc)->as.semaphore = semaphore;
}

static void lower_dma_wait(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_semaphore *semaphore = new_semaphore(l, op, 1);
    semaphore->copied = l->value_ref[op->in[0]];
    semaphore->copied_type = *tg_type_of(l->kernel, op->in[0]);
    tg_lower_emit(l, TG_I_SEMAPHORE, op->code, op->loc)->as.semaphore = semaphore;
}

static void lower_dma_start(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_dma *dma = tg_lower_take(l, 1, sizeof *dma);
    dma->from = strided_ref(l, op, 0);
    dma->to = strided_ref(l, op, 1);
    dma->semaphore = strided_ref(l, op, 2);
    dma->from_root = l->refs[dma->from].root;
    dma->to_root = l->refs[dma->to].root;
    dma->semaphore_root = l->refs[dma->semaphore].root;
    dma->type = *tg_type_of(l->kernel, op->in[0]);
    tg_lower_emit(l, TG_I_DMA, op->code, op->loc)->as.dma = dma;
}

static void lower_part(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_part *part = tg_lower_take(l, 1, sizeof *part);
    const tg_ref_plan *from = &l->refs[l->value_ref[op->in[0]]];
    const uint32_t rank = (uint32_t)from->type.rank;
    const bool has_no_strides = from->has_no_strides;
    const tg_attr *beyond = tg_op_attr(op, TG_ATTR_beyond);
    part->from = l->value_ref[op->in[0]];
    part->root = from->root;
    part->from_type = from->type;
    part->type = *tg_type_of(l->kernel, op->out[0]);
    part->starts = tg_lower_take(l, rank, sizeof *part->starts);
    part->sizes = tg_lower_take(l, rank, sizeof *part->sizes);
    for (uint32_t d = 0; d < rank; d++) {
        part->starts[d] = tg_lower_operand(l, op->in[1 + d]);
        part->sizes[d] = tg_lower_operand(l, op->in[1 + rank + d]);
        part->beyond[d] = beyond ? beyond->as.ints[d] : 0;
    }
    part->out = tg_lower_ref(l, &part->type, part->root, l->refs[part->from].stride);
    l->refs[part->out].has_no_strides = has_no_strides;
    l->value_ref[op->out[0]] = part->out;
    tg_lower_emit(l, TG_I_PART, op->code, op->loc)->as.part = part;
}

bool tg_lower_semaphore_op(tg_lowerer *l, const tg_op *op)
{
    switch (op->code) {
    case TG_OP_semaphore_signal:
    case TG_OP_semaphore_wait:
    case TG_OP_semaphore_read: lower_semaphore(l, op); return true;
    case TG_OP_dma_wait: lower_dma_wait(l, op); return true;
    case TG_OP_dma_start: lower_dma_start(l, op); return true;
    case TG_OP_view_part: lower_part(l, op); return true;
    default: return false;
    }
}
