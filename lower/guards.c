#include "lower/guards.h"

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"
#include "plan/guard.h"

/* Whether the guard's operand is part of a constant, all of which it allows. */
static bool is_kept(const tg_lowerer *l, const struct tg_inst_guard *guard)
{
    const tg_slot *slot = &l->plan->slots[guard->in.slot];
    return slot->kind == TG_SLOT_CONSTANT &&
           tg_guard_find(guard, slot->data, 1, slot->count) == slot->count;
}

void tg_lower_guard(tg_lowerer *l, const tg_op *op, uint32_t in, tg_guard_kind kind, int64_t limit)
{
    struct tg_inst_guard *guard = tg_lower_take(l, 1, sizeof *guard);
    if (!guard) return;
    guard->kind = kind;
    guard->limit = limit;
    guard->in = tg_lower_operand(l, op->in[in]);
    if (l->failed || is_kept(l, guard)) return;
    tg_lower_emit(l, TG_I_GUARD, op->code, op->loc)->as.guard = guard;
}

/* For a block, the promise is about its first element: compilers apply it to the first of a run of
 * consecutive elements. */
void tg_lower_op_assume_multiple(tg_lowerer *l, const tg_op *op)
{
    if (tg_type_count(tg_type_of(l->kernel, op->in[0])) > 0)
        tg_lower_guard(l, op, 0, TG_GUARD_MULTIPLE, tg_op_int(op, TG_ATTR_multiple, 1));
    tg_lower_forward(l, op);
}
