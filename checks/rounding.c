#include "checks/rounding.h"

#include "ir/reduction.h"

typedef struct reader {
    tg_slot_id slot;
    bool is_read;
} reader;

static void look_at_operand(void *context, const tg_operand *o, bool is_written)
{
    reader *r = context;
    if (o->slot == r->slot && !is_written) r->is_read = true;
}

bool tg_atomic_is_read(const tg_plan *plan, const tg_inst *inst)
{
    const struct tg_inst_access *atomic = inst->as.access;
    const bool is_load = inst->kind == TG_I_LOAD;
    reader r = {.slot = is_load ? atomic->value.slot : atomic->old.slot};
    for (uint32_t i = 0; (is_load || atomic->has_old) && i < plan->body.count && !r.is_read; i++)
        tg_inst_operands(&plan->body.list[i], look_at_operand, &r);
    return r.is_read;
}

/* Returns whether the program may see effects of others through the instruction, apart from
 * races. */
static bool communicates(const tg_plan *plan, const tg_inst *inst)
{
    if (tg_inst_atomic(inst)) return tg_atomic_is_read(plan, inst);
    return tg_inst_uses(inst, TG_REF_AWAITED);
}

bool tg_programs_communicate(const tg_plan *plan)
{
    if (plan->has_threads) return true;
    for (uint32_t i = 0; i < plan->body.count; i++)
        if (communicates(plan, &plan->body.list[i])) return true;
    return false;
}

static bool adds(const tg_inst *inst)
{
    return inst->op == TG_OP_add_update ||
           (inst->op == TG_OP_atomic_rmw && tg_atomic_op(inst->as.access->kind) == TG_OP_add);
}

bool tg_only_adds(const tg_plan *plan, uint32_t param)
{
    const tg_kernel *k = plan->kernel;
    const tg_dtype dtype = k->params[param].array.dtype;
    bool is_added_to = false;
    for (uint32_t i = 0; i < plan->body.count; i++) {
        const tg_inst *inst = &plan->body.list[i];
        if (communicates(plan, inst)) return false;
        if (inst->kind != TG_I_ATOMIC) continue;
        const tg_access_plan *access = &inst->as.access->access;
        if (access->root == UINT32_MAX ||
            tg_param_owner(k, access->root) != tg_param_owner(k, param))
            continue;
        if (!adds(inst) || access->dtype != dtype) return false;
        is_added_to = true;
    }
    return is_added_to && tg_is_float(dtype);
}
