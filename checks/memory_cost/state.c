#include "checks/memory_cost/state.h"

#include <stdlib.h>
#include <string.h>

#include "physical/held.h"

static const tg_access_plan *access_of(const tg_memory_cost *c, uint32_t i)
{
    return tg_inst_accesses(&c->plan->body.list[i]);
}

/* Of lines with the same op and memory one is enough. */
static uint32_t site_of(tg_memory_cost *c, const tg_inst *inst, const tg_cost_memory *memory,
                        uint32_t number)
{
    const uint32_t param = tg_inst_accesses(inst)->root;
    for (uint32_t s = 0; s < c->site_count; s++) {
        const tg_cost_site *site = &c->sites[s];
        if (site->op == inst->op && site->loc == inst->loc && site->param == param &&
            site->memory == number)
            return s;
    }
    c->sites[c->site_count] = (tg_cost_site){.op = inst->op,
                                             .loc = inst->loc,
                                             .param = param,
                                             .memory = number,
                                             .space = memory->space,
                                             .warps = c->warps,
                                             .element_bytes = memory->element_bytes,
                                             .memory_bytes = memory->bytes,
                                             .is_row_major = !memory->layout};
    return c->site_count++;
}

/* A layout that cannot be used is as none: the site then tells that its lanes are assumed.  Returns
 * false if memory runs out. */
static bool set_registers(tg_memory_cost *c, uint32_t i, const tg_held *values)
{
    const tg_axe *layout = tg_held_moved(values, c->plan->body.list[i].as.access->source);
    tg_cost_inst *inst = &c->insts[i];
    if (!layout) return true;
    const tg_status status =
        tg_value_registers_of(layout, tg_type_count(&access_of(c, i)->result), &inst->held);
    inst->is_given = status == TG_OK;
    return status != TG_ERR_NO_MEMORY;
}

/* Returns false if memory runs out. */
static bool find_site(tg_memory_cost *c, uint32_t i, const uint32_t *numbers, const tg_held *values)
{
    const tg_access_plan *access = access_of(c, i);
    tg_cost_inst *inst = &c->insts[i];
    inst->site = UINT32_MAX;
    if (!access) return true;
    inst->address = malloc(sizeof *inst->address);
    if (!inst->address) return false;
    inst->memory = tg_cost_memory_of(c->plan, access, numbers[access->ref], inst->address);
    if (inst->memory.space == TG_COST_NOWHERE) return true;
    inst->site = site_of(c, &c->plan->body.list[i], &inst->memory, numbers[access->ref]);
    return set_registers(c, i, values);
}

static bool find_sites(tg_memory_cost *c)
{
    uint32_t *numbers = malloc((c->plan->ref_count + 1) * sizeof *numbers);
    tg_held values;
    bool is_whole = tg_held_find(c->plan->kernel, &values) == TG_OK && numbers;
    if (is_whole) tg_cost_memory_numbers(c->plan, numbers);
    for (uint32_t i = 0; is_whole && i < c->plan->body.count; i++)
        is_whole = find_site(c, i, numbers, &values);
    tg_held_free(&values);
    free(numbers);
    return is_whole;
}

tg_memory_cost *tg_memory_cost_new(const tg_plan *plan, int64_t warps)
{
    tg_memory_cost *c = calloc(1, sizeof *c);
    const size_t most = plan->body.count + 1;
    if (!c) return NULL;
    if (pthread_mutex_init(&c->lock, NULL) != 0) {
        free(c);
        return NULL;
    }
    c->plan = plan;
    c->warps = warps;
    c->insts = calloc(most, sizeof *c->insts);
    c->sites = calloc(most, sizeof *c->sites);
    c->witnesses = calloc(most, sizeof *c->witnesses);
    c->addresses = calloc(most, sizeof *c->addresses);
    if (c->insts && c->sites && c->witnesses && c->addresses && find_sites(c)) return c;
    tg_memory_cost_free(c);
    return NULL;
}

void tg_memory_cost_free(tg_memory_cost *c)
{
    for (uint32_t i = 0; c->insts && i < c->plan->body.count; i++) {
        tg_placement_free(&c->insts[i].held);
        free(c->insts[i].address);
    }
    for (uint32_t s = 0; c->addresses && s < c->site_count; s++)
        tg_placement_free(&c->addresses[s].list);
    free(c->addresses);
    free(c->witnesses);
    free(c->sites);
    free(c->insts);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

void tg_memory_cost_clear(tg_memory_cost *c)
{
    c->is_incomplete = false;
    for (uint32_t s = 0; s < c->site_count; s++) {
        const tg_cost_site old = c->sites[s];
        tg_placement_free(&c->addresses[s].list);
        c->addresses[s] = (tg_cost_addresses){0};
        c->witnesses[s] = (tg_cost_witness){0};
        c->sites[s] = (tg_cost_site){.op = old.op,
                                     .loc = old.loc,
                                     .param = old.param,
                                     .memory = old.memory,
                                     .space = old.space,
                                     .warps = old.warps,
                                     .element_bytes = old.element_bytes,
                                     .memory_bytes = old.memory_bytes,
                                     .is_row_major = old.is_row_major};
    }
}
