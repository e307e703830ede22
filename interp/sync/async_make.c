#include "interp/sync/async_make.h"

#include <stdlib.h>
#include <string.h>

#include "interp/state/actors.h"
#include "interp/sync/async_order.h"

static int64_t own_number(tg_machine *m)
{
    tg_launch *launch = m->launch;
    const int64_t n = __atomic_add_fetch(&launch->async_ops, 1, __ATOMIC_RELAXED);
    return tg_actor_of_async(m->actor, n, launch->actors);
}

static bool make_side(tg_machine *m, const tg_async_place *place, tg_async_side *side)
{
    return tg_async_side_init(side, m, &m->refs[place->ref], &place->type);
}

bool tg_async_make(tg_machine *m, const tg_inst *inst, tg_async_op *op)
{
    const struct tg_inst_async *plan = inst->as.async;
    int64_t *const newest = &m->newest_started[plan->engine];
    memset(op, 0, tg_async_op_bytes(plan));
    op->inst = inst;
    op->starter = m;
    op->group = m->closed_groups[plan->engine];
    op->program_index = m->program_index;
    op->actor = own_number(m);
    memcpy(op->program, m->program, sizeof op->program);
    op->follows = *newest;
    *newest = op->actor;
    bool is_whole = tg_async_order_init(m, op);
    is_whole = (tg_async_is_arrival(op) || make_side(m, &plan->to, &op->to)) && is_whole;
    for (uint32_t i = 0; i < plan->source_count; i++)
        if (!plan->source[i].is_value)
            is_whole = make_side(m, &plan->source[i], &op->source[i]) && is_whole;
    return is_whole;
}

void tg_async_free(tg_async_op *op)
{
    for (uint32_t i = 0; i < op->note_count; i++) free(op->notes[i]);
    free(op->notes);
    free(op->behind);
    free(op->value);
    free(op->held);
    for (uint32_t i = 0; i < op->inst->as.async->source_count; i++)
        tg_async_side_free(&op->source[i]);
    tg_async_side_free(&op->to);
}
