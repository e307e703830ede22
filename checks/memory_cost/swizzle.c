#include "checks/memory_cost/swizzle.h"

#include "layout/swizzle_search.h"

enum { MOST_PLACEMENTS = 16 }; /* of a search */

/* The accesses to one memory, in pieces of one size. */
typedef struct group {
    tg_placement list[MOST_PLACEMENTS];
    int widths[MOST_PLACEMENTS], count;
} group;

static void free_group(group *g)
{
    for (int i = 0; i < g->count; i++) tg_placement_free(&g->list[i]);
}

/* Cuts each register into pieces of `bytes`. */
static tg_status cut(const tg_placement *from, int bytes, tg_placement *out)
{
    const int pieces = from->element_bytes / bytes;
    TG_TRY(tg_placement_begin(from->warps, from->registers * pieces, bytes, out, NULL));
    for (int64_t i = 0; i < from->warps * from->registers * pieces; i++)
        for (int lane = 0; lane < TG_LANES; lane++) {
            const int64_t at = from->byte[i / pieces * TG_LANES + lane];
            if (at >= 0) out->byte[i * TG_LANES + lane] = at + i % pieces * bytes;
        }
    return TG_OK;
}

static bool belongs(const tg_cost_site *site, const tg_cost_addresses *a, uint32_t memory)
{
    return site->memory == memory && site->space == TG_COST_SHARED && a->list.byte;
}

static tg_status gather(const tg_cost_site *sites, const tg_cost_addresses *addresses,
                        uint32_t count, uint32_t memory, group *g)
{
    int bytes = TG_MOST_VECTOR_BYTES;
    for (uint32_t i = 0; i < count; i++)
        if (belongs(&sites[i], &addresses[i], memory) && addresses[i].list.element_bytes < bytes)
            bytes = addresses[i].list.element_bytes;
    for (uint32_t i = 0; i < count && g->count < MOST_PLACEMENTS; i++) {
        if (!belongs(&sites[i], &addresses[i], memory)) continue;
        g->widths[g->count] = addresses[i].width;
        TG_TRY(cut(&addresses[i].list, bytes, &g->list[g->count]));
        g->count++;
    }
    return TG_OK;
}

/* The swizzle of addresses as one of elements; 0 bits if it moves parts of elements. */
static tg_swizzle of_elements(const tg_swizzle *bytes, int element_bytes)
{
    tg_swizzle elements = *bytes;
    elements.base -= __builtin_ctz((unsigned)element_bytes);
    elements.axis = TG_AXIS_m;
    if (elements.base < 0) elements.bits = 0;
    return elements;
}

/* Of the memory of `site`. */
static tg_status search(const tg_cost_site *sites, const tg_cost_addresses *addresses,
                        uint32_t count, const tg_cost_site *site, tg_swizzle_found *found)
{
    const tg_placement *list[MOST_PLACEMENTS];
    group g = {.count = 0};
    tg_status status = gather(sites, addresses, count, site->memory, &g);
    for (int i = 0; i < g.count; i++) list[i] = &g.list[i];
    if (status == TG_OK)
        status = tg_swizzle_search_within(list, g.widths, g.count, site->memory_bytes, found, NULL);
    free_group(&g);
    return status;
}

bool tg_cost_find_swizzles(tg_cost_site *sites, const tg_cost_addresses *addresses, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tg_swizzle_found found;
        const uint32_t memory = sites[i].memory;
        if (!belongs(&sites[i], &addresses[i], memory) || sites[i].cost == sites[i].least ||
            sites[i].swizzle.bytes.bits)
            continue;
        const tg_status status = search(sites, addresses, count, &sites[i], &found);
        if (status == TG_ERR_NO_MEMORY) return false;
        for (uint32_t k = i; status == TG_OK && k < count; k++)
            if (sites[k].memory == memory && sites[k].cost > sites[k].least)
                sites[k].swizzle = (tg_cost_swizzle){
                    found.bytes, of_elements(&found.bytes, sites[k].element_bytes), found.before,
                    found.after, found.least};
    }
    return true;
}
