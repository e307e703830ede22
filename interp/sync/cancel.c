/* Programs that take over the work of others (cancel_launch), as cluster launch control on a GPU. */
#include "interp/state/handlers.h"
#include "interp/state/operand.h"
#include "interp/state/order.h"

/* A GPU may say at any time that there is nothing to take over, so the order decides how far programs go:
 * in `sequential` as far as they can, in `reversed` not at all. */
static bool takes_over(tg_machine *m)
{
    enum { NOT_ONE_IN = 4 };
    const tg_order *order = m->launch->order;
    if (!order || order->kind == TG_ORDER_SEQUENTIAL) return true;
    if (order->kind == TG_ORDER_REVERSED) return false;
    tg_async_ops *stream = &m->chain->async_ops;
    return tg_random(tg_random(order->seed, stream->stream), stream->drawn++) % NOT_ONE_IN != 0;
}

void tg_exec_cancel(tg_machine *m, const tg_inst *inst)
{
    const tg_launch *launch = m->launch;
    const struct tg_inst_cancel *cancel = inst->as.cancel;
    int64_t chain = -1;
    if (launch->cancel && takes_over(m))
        chain = launch->cancel(launch->cancel_context, cancel->resident);
    tg_operand_set_int(m, &cancel->out, chain);
}
