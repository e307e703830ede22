#include "gpu_backend/emit/own_block.h"

#include <stddef.h>
#include <stdint.h>

#include "ir/ir.h"
#include "ir/op.h"
#include "plan/inst.h"

typedef struct writers {
    tg_slot_id slot;
    uint32_t count;
} writers;

static void count(void *context, const tg_operand *o, bool is_written)
{
    writers *w = context;
    w->count += is_written && o->slot == w->slot;
}

/* The only instruction that writes the slot; NULL: there are several, or none. */
static const tg_inst *writer_of(const tg_code *code, tg_slot_id slot)
{
    const tg_inst *found = NULL;
    for (uint32_t i = 0; i < code->count; i++) {
        const tg_inst inst = code->list[i];
        writers w = {slot, 0};
        tg_inst_operands(&inst, count, &w);
        if (inst.kind == TG_I_EXCHANGE)
            w.count += inst.as.exchange.a == slot || inst.as.exchange.b == slot;
        if (w.count == 0) continue;
        if (found) return NULL;
        found = &code->list[i];
    }
    return found;
}

/* The slot whose value the group converts to that of `slot`; TG_NO_SLOT: it does something else. */
static tg_slot_id converted(const tg_group *g, tg_slot_id slot)
{
    for (uint32_t i = 0; i < g->op_count; i++) {
        const tg_group_op *op = &g->ops[i];
        if (op->out.kind != TG_PLACE_OUTPUT || g->outputs[op->out.index].slot != slot) continue;
        if (op->op != TG_OP_convert || op->in[0].kind != TG_PLACE_INPUT) return TG_NO_SLOT;
        return g->inputs[op->in[0].index].slot;
    }
    return TG_NO_SLOT;
}

/* The grid's axis that dimension d of a cluster is; -1: there is none. */
static int axis_of(const tg_kernel *k, int d)
{
    for (int a = 0; a < k->axis_count; a++)
        if (k->axes[a].semantics == TG_SEMANTICS_THREAD && d-- == 0) return a;
    return -1;
}

bool tg_ptx_is_own_coordinate(const tg_ptx_emitter *em, const tg_operand *scalar, int d)
{
    tg_slot_id slot = scalar->slot;
    const tg_inst *inst = scalar->rank == 0 ? writer_of(&em->plan->body, slot) : NULL;
    while (inst && inst->kind == TG_I_GROUP) {
        slot = converted(inst->as.group, slot);
        inst = slot == TG_NO_SLOT ? NULL : writer_of(&em->plan->body, slot);
    }
    return inst && inst->kind == TG_I_PROGRAM_ID &&
           inst->as.grid->axis == axis_of(em->plan->kernel, d);
}
