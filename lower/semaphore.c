#include "lower/semaphore.h"

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"

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

static struct tg_inst_semaphore *new_semaphore(tg_lowerer *l, const tg_op *op, uint32_t operand)
{
    struct tg_inst_semaphore *semaphore = tg_lower_take(l, 1, sizeof *semaphore);
    if (!semaphore) return NULL;
    semaphore->ref = semaphore_ref(l, op, operand);
    semaphore->root = l->refs[semaphore->ref].root;
    return semaphore;
}

/* Semaphores of other chains are at the same offset in their scratch. */
static void set_chain(tg_lowerer *l, const tg_op *op, struct tg_inst_semaphore *semaphore)
{
    if (op->in_count != 3) return;
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

void tg_lower_op_dma_start(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_dma *dma = tg_lower_take(l, 1, sizeof *dma);
    if (!dma) return;
    dma->from = l->value_ref[op->in[0]];
    dma->to = l->value_ref[op->in[1]];
    dma->semaphore = semaphore_ref(l, op, 2);
    dma->from_root = l->refs[dma->from].root;
    dma->to_root = l->refs[dma->to].root;
    dma->semaphore_root = l->refs[dma->semaphore].root;
    dma->type = *tg_type_of(l->kernel, op->in[0]);
    tg_lower_emit(l, TG_I_DMA, op->code, op->loc)->as.dma = dma;
}
