#include "lower/branch.h"

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"
#include "lower/operands.h"
#include "lower/region.h"

struct tg_inst_switch *tg_lower_branch(tg_lowerer *l, const tg_op *op, tg_operand on,
                                       uint32_t target_count)
{
    struct tg_inst_switch *branch = tg_lower_take(l, 1, sizeof *branch);
    if (!branch) return NULL;
    branch->on = on;
    branch->target_count = target_count;
    branch->targets = tg_lower_take(l, target_count, sizeof *branch->targets);
    tg_lower_emit(l, TG_I_SWITCH, op->code, op->loc)->as.on = branch;
    return l->failed ? NULL : branch;
}

/* Puts the yields of a branch into the slots of the results.  Pending yields are computed right
 * there. */
static void emit_branch_results(tg_lowerer *l, const tg_op *op, const tg_region *region,
                                const tg_operand *result)
{
    uint32_t count = region->yield_count;
    tg_node_id *nodes = tg_lower_take(l, count, sizeof *nodes);
    const tg_operand **dest = tg_lower_take(l, count, sizeof *dest);
    if (l->failed) return;
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = l->value_node[region->yields[i]];
        dest[i] = l->nodes[nodes[i]].uses <= 1 ? &result[i] : NULL;
    }
    tg_lower_ready(l, nodes, count, dest);
    for (uint32_t i = 0; i < count; i++)
        if (l->nodes[nodes[i]].at.slot != result[i].slot)
            tg_lower_copy(l, result[i], l->nodes[nodes[i]].at, op);
}

void tg_lower_op_switch(tg_lowerer *l, const tg_op *op)
{
    tg_lower_captured(l, op);
    tg_operand on = tg_lower_operand(l, op->in[0]);
    tg_operand *result = tg_lower_take(l, op->out_count, sizeof *result);
    uint32_t *jumps = tg_lower_take(l, op->region_count, sizeof *jumps);
    if (l->failed) return;
    for (uint32_t i = 0; i < op->out_count; i++)
        result[i] = tg_lower_fresh(l, op->out[i], l->value_uses[op->out[i]]);
    struct tg_inst_switch *branch = tg_lower_branch(l, op, on, op->region_count);
    if (!branch) return;
    for (uint32_t r = 0; r < op->region_count; r++) {
        branch->targets[r] = l->inst_count;
        tg_lower_region(l, &op->regions[r]);
        if (l->failed) return;
        emit_branch_results(l, op, &op->regions[r], result);
        jumps[r] = l->inst_count;
        tg_lower_emit(l, TG_I_JUMP, op->code, op->loc);
    }
    if (l->failed) return;
    for (uint32_t r = 0; r < op->region_count; r++)
        l->insts[jumps[r]].as.jump.target = l->inst_count;
}
