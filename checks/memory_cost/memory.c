#include "checks/memory_cost/memory.h"

#include <string.h>

#include "layout/address.h"
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

/* ---- which memory ---- */

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

/* `layout`: of the memory, or of blocks; NULL: none.  The verifier has made sure that it is one. */
static tg_cost_memory memory_of(tg_cost_space space, const tg_type *type, const tg_axe *layout,
                                tg_axe *address)
{
    const int bytes = tg_dtypes[type->dtype].bytes;
    tg_cost_memory memory = {.space = space,
                             .element_bytes = bytes,
                             .bytes = tg_type_count(type) * bytes,
                             .block_of = UINT32_MAX};
    if (!layout || tg_axe_address(layout, tg_dtypes[type->dtype].bits, address, NULL) != TG_OK)
        return memory;
    memory.layout = address;
    memory.bytes = tg_axe_reach(address) * bytes;
    return memory;
}

static tg_cost_memory memory_of_scope(const tg_plan *plan, tg_slot_id slot, tg_axe *address)
{
    const tg_inst *inst = plan->body.list;
    while (inst->kind != TG_I_SCOPE || inst->as.scope->slot != slot) inst++;
    const tg_value *value = &plan->kernel->values[inst->as.scope->value];
    const tg_cost_space space = value->space ? space_named(value->space) : TG_COST_SHARED;
    return memory_of(space, &value->type, value->layout, address);
}

tg_cost_memory tg_cost_memory_of(const tg_plan *plan, const tg_access_plan *access, uint32_t number,
                                 tg_axe *address)
{
    const tg_kernel *k = plan->kernel;
    if (access->root == UINT32_MAX) return memory_of_scope(plan, number - k->param_count, address);
    const tg_param *param = &k->params[access->root];
    const bool is_scratch = param->role == TG_ROLE_SCRATCH;
    const tg_cost_space space = param->space ? space_named(param->space)
                                : is_scratch ? TG_COST_SHARED
                                             : TG_COST_GLOBAL;
    tg_cost_memory memory = memory_of(space, &param->array, param->layout, address);
    if (memory.layout && !is_scratch) {
        memory.block_of = access->root;
        memory.block_rank = param->ref.rank;
    }
    return memory;
}

/* ---- where ---- */

/* The number in its block of an element of the array.  Array strides fall, and no element inside is
 * further from the first one in a dimension than the array reaches. */
static int64_t number_in(const tg_ref *block, int rank, int64_t element)
{
    int64_t number = 0, left = element - block->origin;
    for (int d = 0; d < rank; d++) left -= block->low[d] * block->stride[d];
    for (int d = 0; d < rank; d++) {
        const int64_t at = left / block->stride[d];
        left -= at * block->stride[d];
        number = number * block->shape[d] + block->low[d] + at;
    }
    return number;
}

int64_t tg_cost_memory_byte(const tg_cost_memory *memory, const tg_ref *block, int64_t byte)
{
    tg_coordinate at;
    if (!memory->layout) return byte;
    int64_t number = byte / memory->element_bytes;
    if (block) number = number_in(block, memory->block_rank, number);
    tg_axe_map(memory->layout, number, 0, &at);
    return at.at[TG_AXIS_m] * memory->element_bytes + byte % memory->element_bytes;
}
