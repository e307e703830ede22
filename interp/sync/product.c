/* Products beside the threads (dot_start), and arrivals behind them (dot_arrive). */
#include "interp/state/handlers.h"
#include "interp/sync/async.h"
#include "interp/sync/async_make.h"
#include "interp/sync/async_op.h"
#include "interp/sync/async_value.h"
#include "interp/sync/semaphore.h"

void tg_exec_arrival(tg_machine *m, const tg_inst *inst)
{
    tg_async_op arrival;
    const bool is_made = tg_async_make(m, inst, &arrival);
    arrival.signal = tg_semaphore_at(m, inst->as.async->signal);
    /* Without a barrier, which has been reported, nothing arrives. */
    const bool is_real = is_made && arrival.signal;
    if (is_real && tg_async_start(m, &arrival)) return;
    if (is_real || !is_made) m->launch->findings->is_incomplete = true;
    tg_async_free(&arrival);
}

void tg_exec_product(tg_machine *m, const tg_inst *inst)
{
    tg_async_op product;
    bool is_made = tg_async_make(m, inst, &product);
    if (inst->as.async->source[0].is_value) is_made = tg_async_keep_value(m, &product) && is_made;
    if (is_made && tg_async_start(m, &product)) return;
    m->launch->findings->is_incomplete = true;
    tg_async_free(&product);
}
