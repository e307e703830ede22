#include "checks/undefined/addresses.h"

#include <stdlib.h>

/* Follows values backwards from addresses until no slot is added. */
typedef struct address_slots {
    const tg_plan *plan;
    bool *is_in;       /* per slot */
    bool is_memory_in; /* stored values may be loaded as part of an address */
    bool has_changed;
    bool is_wanted; /* for the visitors below: an operand that is written is in the set */
} address_slots;

static void put_in(address_slots *a, tg_slot_id slot)
{
    if (a->is_in[slot]) return;
    a->is_in[slot] = true;
    a->has_changed = true;
}

static void look_at_written(void *context, const tg_operand *o, bool is_written)
{
    address_slots *a = context;
    if (is_written && a->is_in[o->slot]) a->is_wanted = true;
}

static void put_read_in(void *context, const tg_operand *o, bool is_written)
{
    if (!is_written) put_in(context, o->slot);
}

static void put_access_in(address_slots *a, const tg_access_plan *access)
{
    for (int d = 0; d < access->rank; d++)
        if (access->dims[d].has_operand) put_in(a, access->dims[d].operand.slot);
    if (access->has_mask) put_in(a, access->mask.slot);
}

static void trace_back(address_slots *a, const tg_inst *inst)
{
    switch (inst->kind) {
    case TG_I_VIEW: put_access_in(a, &inst->as.view->access); return;
    case TG_I_PART: tg_inst_operands(inst, put_read_in, a); return;
    case TG_I_LOAD:
        put_access_in(a, &inst->as.access->access);
        if (a->is_in[inst->as.access->value.slot]) a->is_memory_in = true;
        return;
    case TG_I_STORE:
    case TG_I_ATOMIC:
        put_access_in(a, &inst->as.access->access);
        if (a->is_memory_in) tg_inst_operands(inst, put_read_in, a);
        return;
    case TG_I_EXCHANGE:
        if (a->is_in[inst->as.exchange.a]) put_in(a, inst->as.exchange.b);
        if (a->is_in[inst->as.exchange.b]) put_in(a, inst->as.exchange.a);
        return;
    default: break;
    }
    a->is_wanted = false;
    tg_inst_operands(inst, look_at_written, a);
    if (a->is_wanted) tg_inst_operands(inst, put_read_in, a);
}

static void find_addresses(address_slots *a)
{
    const tg_plan *plan = a->plan;
    const uint32_t params = plan->kernel->param_count;
    for (uint32_t p = 0; p < params; p++)
        for (int d = 0; d < plan->kernel->params[p].array.rank && plan->mappings[p].code.count; d++)
            put_in(a, plan->mappings[p].index[d].slot);
    do {
        const bool was_memory_in = a->is_memory_in;
        a->has_changed = false;
        for (uint32_t i = plan->body.count; i > 0; i--) trace_back(a, &plan->body.list[i - 1]);
        for (uint32_t p = 0; p < params; p++)
            for (uint32_t i = plan->mappings[p].code.count; i > 0; i--)
                trace_back(a, &plan->mappings[p].code.list[i - 1]);
        if (a->is_memory_in != was_memory_in) a->has_changed = true;
    } while (a->has_changed);
}
bool *tg_address_slots(const tg_plan *plan)
{
    address_slots a = {.plan = plan, .is_in = calloc(plan->slot_count + 1, sizeof *a.is_in)};
    if (a.is_in) find_addresses(&a);
    return a.is_in;
}
