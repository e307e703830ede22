#include "checks/memory_cost/memory.h"

#include <string.h>

#include "layout/map.h"

static tg_cost_space space_named(const char *name)
{
    static const struct {
        const char *name;
        tg_cost_space space;
    } known[] = {{"smem", TG_COST_SHARED}, {"shared", TG_COST_SHARED}, {"gmem", TG_COST_GLOBAL},
                 {"hbm", TG_COST_GLOBAL},  {"any", TG_COST_GLOBAL},    {"global", TG_COST_GLOBAL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].space;
    return TG_COST_NOWHERE;
}

static tg_cost_memory memory_of(tg_cost_space space, tg_dtype dtype, int64_t count)
{
    const int bytes = tg_dtypes[dtype].bytes;
    return (tg_cost_memory){.space = space, .element_bytes = bytes, .bytes = count * bytes};
}

tg_cost_memory tg_cost_memory_of(const tg_plan *plan, uint32_t number)
{
    const tg_kernel *k = plan->kernel;
    if (number >= k->param_count) {
        const tg_slot *slot = &plan->slots[number - k->param_count];
        return memory_of(TG_COST_SHARED, slot->dtype, slot->count);
    }
    const tg_param *param = &k->params[number];
    const tg_cost_space space = param->space                     ? space_named(param->space)
                                : param->role == TG_ROLE_SCRATCH ? TG_COST_SHARED
                                                                 : TG_COST_GLOBAL;
    return memory_of(space, param->array.dtype, tg_type_count(&param->array));
}

int64_t tg_cost_memory_byte(const tg_cost_memory *memory, int64_t byte)
{
    tg_coordinate at;
    if (!memory->layout || byte < 0) return byte;
    const int64_t element = byte / memory->element_bytes, rest = byte % memory->element_bytes;
    if (element >= tg_iters_size(&memory->layout->d)) return -1;
    tg_axe_map(memory->layout, element, 0, &at);
    return at.at[TG_AXIS_byte] + at.at[TG_AXIS_m] * memory->element_bytes + rest;
}

/* The ref that an instruction makes is in the memory of the one that it is made from. */
static void number_made(const tg_plan *plan, const tg_inst *inst, uint32_t *numbers)
{
    switch (inst->kind) {
    case TG_I_VIEW: numbers[inst->as.view->out] = numbers[inst->as.view->access.ref]; break;
    case TG_I_PART: numbers[inst->as.part->out] = numbers[inst->as.part->from]; break;
    case TG_I_RECAST: numbers[inst->as.recast->out] = numbers[inst->as.recast->from]; break;
    case TG_I_SCOPE:
        numbers[inst->as.scope->out] = plan->kernel->param_count + inst->as.scope->slot;
        break;
    default: break;
    }
}

void tg_cost_memory_numbers(const tg_plan *plan, uint32_t *numbers)
{
    memset(numbers, 0, plan->ref_count * sizeof *numbers);
    for (uint32_t p = 0; p < plan->kernel->param_count; p++)
        numbers[p] = tg_param_owner(plan->kernel, p);
    for (uint32_t i = 0; i < plan->body.count; i++) number_made(plan, &plan->body.list[i], numbers);
}
