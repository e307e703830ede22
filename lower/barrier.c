#include "lower/barrier.h"

#include "lower/base.h"
#include "lower/groups.h"

void tg_lower_op_barrier(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_barrier *barrier = tg_lower_take(l, 1, sizeof *barrier);
    if (!barrier) return;
    barrier->ref = l->value_ref[op->in[0]];
    barrier->root = l->refs[barrier->ref].root;
    barrier->followers = tg_op_int(op, TG_ATTR_followers, 0);
    barrier->is_idle = tg_op_int(op, TG_ATTR_idle, 0) != 0;
    barrier->at_once = tg_op_int(op, TG_ATTR_at_once, 0) != 0;
    barrier->orders_products = tg_op_int(op, TG_ATTR_orders_products, 0) != 0;
    if (barrier->orders_products) l->plan->hands_on_products = true;
    barrier->expects = op->code == TG_OP_barrier_expect;
    if (barrier->expects) barrier->bytes = tg_lower_operand(l, op->in[1]);
    tg_lower_emit(l, TG_I_BARRIER, op->code, op->loc)->as.barrier = barrier;
}

void tg_lower_op_collective(tg_lowerer *l, const tg_op *op)
{
    const tg_attr *along = tg_op_attr(op, TG_ATTR_along), *name = tg_op_attr(op, TG_ATTR_name);
    struct tg_inst_collective *collective = tg_lower_take(l, 1, sizeof *collective);
    if (!collective) return;
    for (int64_t i = 0; i < along->count; i++) collective->along |= 1U << along->as.ints[i];
    collective->name = name ? name->as.text : NULL;
    tg_lower_emit(l, TG_I_COLLECTIVE, op->code, op->loc)->as.collective = collective;
}
