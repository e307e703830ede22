/* The end of memory that ops beside the threads use, and that of their program: ops in flight take place, and are
 * reported. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interp/state/found.h"
#include "interp/state/handlers.h"
#include "interp/sync/async.h"
#include "interp/sync/async_make.h"
#include "interp/sync/async_op.h"
#include "interp/sync/semaphore.h"

static void report_not_awaited(tg_machine *m, const tg_async_op *op)
{
    memcpy(m->program, op->program, sizeof m->program);
    m->program_index = op->program_index;
    if (op->is_promised || op->is_promised_elsewhere)
        tg_machine_found(m, TG_FINDING_WAIT_ONLY_PROMISED, op->inst, NULL,
                         "nothing waited for this product before its memory ended, but for a wait "
                         "that is only promised");
    else if (tg_async_is_product(op))
        tg_machine_found(m, TG_FINDING_PRODUCT_NOT_AWAITED, op->inst, NULL,
                         "nothing waited for this product before its memory ended");
    else
        tg_machine_found(m, TG_FINDING_DMA_NOT_AWAITED, op->inst, NULL,
                         "nothing waited for the %" PRId64 " bytes of this copy before %s ended",
                         op->bytes,
                         op->signal ? "the memory of it or of its semaphore" : "its memory");
}

/* Removes an op, which takes place now if it has not yet, and takes its bytes from the
 * semaphore.  A copy that is known to have read its source needs no memory of the chain any more. */
static void drop(tg_machine *m, uint32_t at, bool reports)
{
    tg_async_op *op = m->chain->async_ops.list[at];
    tg_async_take_place(m, op);
    if (op->inst->as.async->told == TG_ASYNC_TELLS_SEMAPHORE)
        *op->signal -= op->bytes < *op->signal ? op->bytes : *op->signal;
    const bool is_needed =
        !op->is_read_awaited && !op->is_known && !tg_async_is_arrival(op) && !tg_async_is_load(op);
    if (reports && is_needed) report_not_awaited(m, op);
    tg_async_forget(m, at);
}

static bool is_within(const void *at, const unsigned char *memory, size_t bytes)
{
    return (const unsigned char *)at >= memory && (const unsigned char *)at < memory + bytes;
}

static bool has_source_in(const tg_async_op *op, const unsigned char *memory)
{
    for (uint32_t i = 0; i < op->inst->as.async->source_count; i++)
        if (op->source[i].ref.data == memory) return true;
    return false;
}

/* The end of scoped memory: ops in flight that use it take place, and are reported; so are
 * semaphores in it that are not 0. */
void tg_exec_scope_end(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_scope *scope = inst->as.scope;
    const unsigned char *memory = m->slot[scope->slot];
    const size_t bytes = m->launch->plan->slots[scope->slot].bytes;
    for (uint32_t i = m->chain->async_ops.count; i-- > 0;) {
        const tg_async_op *op = m->chain->async_ops.list[i];
        const bool needs_source = !op->is_read_awaited && has_source_in(op, memory);
        if (needs_source || op->to.ref.data == memory || is_within(op->signal, memory, bytes))
            drop(m, i, true);
    }
    if (tg_is_semaphore(scope->type.dtype))
        tg_semaphores_end(m, inst, NULL, (const void *)memory, tg_type_count(&scope->type));
}

/* Those of a program that was stopped are left. */
static void free_all(tg_async_ops *ops)
{
    while (ops->count) tg_async_free(ops->list[--ops->count]);
}

void tg_async_begin(tg_chain *chain, int64_t program_index)
{
    free_all(&chain->async_ops);
    chain->signals.count = 0;
    chain->async_ops.stream = (uint64_t)program_index;
    chain->async_ops.drawn = 0;
}

void tg_async_finish(tg_machine *m, bool reports)
{
    const tg_async_ops *ops = &m->chain->async_ops;
    while (ops->count) drop(ops->list[ops->count - 1]->starter, ops->count - 1, reports);
}

void tg_async_ops_free(tg_async_ops *ops)
{
    free_all(ops);
    for (uint32_t i = 0; i < ops->made; i++) free(ops->list[i]);
    free(ops->list);
}
