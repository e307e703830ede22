#include "checks/memory_cost/sites.h"

#include <stdlib.h>
#include <string.h>

/* Whether the worst instruction of an access makes it the witness, in whatever order programs come. */
static bool is_witness(const tg_cost_site *site, const tg_instruction_cost *worst,
                       int64_t program_index)
{
    if (site->accesses == 0 || tg_instruction_is_worse(worst, &site->worst)) return true;
    if (tg_instruction_is_worse(&site->worst, worst)) return false;
    return program_index < site->program_index;
}

bool tg_cost_site_add(tg_cost_site *site, const tg_access_cost *cost, bool is_assumed,
                      int64_t program_index)
{
    if (cost->instructions == 0) return false;
    const bool is_new = is_witness(site, &cost->worst, program_index);
    if (is_new) {
        site->worst = cost->worst;
        site->program_index = program_index;
    }
    if (!site->narrowest || cost->width < site->narrowest) site->narrowest = cost->width;
    if (cost->width > site->widest) site->widest = cost->width;
    site->is_assumed = site->is_assumed || is_assumed;
    site->accesses++;
    site->costly += cost->cost > cost->least;
    site->instructions += cost->instructions;
    site->cost += cost->cost;
    site->least += cost->least;
    site->bytes += cost->bytes;
    return is_new;
}

/* ---- several runs ---- */

static tg_cost_site *find_same(tg_cost_site *list, size_t count, const tg_cost_site *site)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].op == site->op && list[i].loc == site->loc && list[i].param == site->param &&
            list[i].memory == site->memory)
            return &list[i];
    return NULL;
}

/* The witness of the earlier run stays, unless the other one's costs more. */
static void add_site(tg_cost_site *into, const tg_cost_site *from)
{
    if (tg_instruction_is_worse(&from->worst, &into->worst)) {
        into->worst = from->worst;
        into->program_index = from->program_index;
        memcpy(into->program, from->program, sizeof into->program);
        into->swizzle = from->swizzle;
    }
    if (from->narrowest < into->narrowest) into->narrowest = from->narrowest;
    if (from->widest > into->widest) into->widest = from->widest;
    into->is_assumed |= from->is_assumed;
    into->accesses += from->accesses;
    into->costly += from->costly;
    into->instructions += from->instructions;
    into->cost += from->cost;
    into->least += from->least;
    into->bytes += from->bytes;
}

bool tg_cost_sites_merge(tg_cost_site **list, size_t *count, const tg_cost_site *from,
                         size_t from_count)
{
    tg_cost_site *room = realloc(*list, (*count + from_count + 1) * sizeof *room);
    if (!room) return false;
    *list = room;
    for (size_t i = 0; i < from_count; i++) {
        tg_cost_site *same = find_same(room, *count, &from[i]);
        if (same)
            add_site(same, &from[i]);
        else
            room[(*count)++] = from[i];
    }
    return true;
}
