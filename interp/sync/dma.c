/* Copies beside the threads (dma_start). */
#include <inttypes.h>

#include "interp/state/found.h"
#include "interp/state/handlers.h"
#include "interp/sync/async.h"
#include "interp/sync/async_make.h"
#include "interp/sync/async_op.h"
#include "interp/sync/async_value.h"
#include "interp/sync/barrier.h"
#include "interp/sync/semaphore.h"

static int64_t bytes_of(const tg_async_side *side)
{
    int64_t bytes = (int64_t)side->bytes;
    for (int d = 0; d < side->rank; d++) bytes *= side->ref.shape[d];
    return bytes;
}

/* Finds what the copy tells that it has taken place. */
static void find_signal(tg_machine *m, tg_async_op *copy)
{
    const struct tg_inst_async *plan = copy->inst->as.async;
    if (plan->told != TG_ASYNC_TELLS_GROUP) copy->signal = tg_semaphore_at(m, plan->signal);
    if (plan->told == TG_ASYNC_TELLS_BARRIER && copy->signal)
        copy->phase = tg_barrier_phase(copy->signal);
}

/* Reports lengths, known only at run time, that differ.  Elements that the source lacks are
 * undefined in the destination. */
static void check_lengths(tg_machine *m, const tg_async_op *copy)
{
    for (int d = 0; d < copy->inst->as.async->to.type.rank; d++) {
        const int64_t from = copy->source[0].ref.shape[d], to = copy->to.ref.shape[d];
        if (from == to) continue;
        tg_machine_found(m, TG_FINDING_ACCESS_OUTSIDE_REF, copy->inst, NULL,
                         "dma_start copies %" PRId64
                         " elements of dimension %d to where there are %" PRId64,
                         from, d, to);
        return;
    }
}

void tg_exec_dma(tg_machine *m, const tg_inst *inst)
{
    tg_async_op copy;
    bool is_made = tg_async_make(m, inst, &copy);
    if (inst->as.async->source[0].is_value) is_made = tg_async_keep_value(m, &copy) && is_made;
    find_signal(m, &copy);
    copy.bytes = bytes_of(&copy.source[0]);
    const bool is_told = tg_async_is_of_group(&copy) || copy.signal;
    if (is_told && is_made) check_lengths(m, &copy);
    /* Without a semaphore, which has been reported, or without elements there is no copy. */
    const bool is_real = is_made && is_told && copy.bytes != 0;
    if (is_real && tg_async_start(m, &copy)) return;
    if (is_real || !is_made) m->launch->findings->is_incomplete = true;
    tg_async_free(&copy);
}
