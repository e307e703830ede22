/* The swizzle of a shared memory that takes most conflicts of banks from all accesses to it. */
#ifndef TG_CHECKS_MEMORY_COST_SWIZZLE_H
#define TG_CHECKS_MEMORY_COST_SWIZZLE_H

#include "checks/memory_cost/sites.h"

/* The addresses of a site's witness: as tg_cost_placement gives them, for instructions of `width`
 * bytes; no addresses: they are not looked at. */
typedef struct tg_cost_addresses {
    tg_placement list;
    int width;
} tg_cost_addresses;

/* Sets the swizzle of each site with conflicts, so that all sites of its memory together take the
 * fewest wavefronts, each with the accesses of its witness.  Of more sites than one search takes, the
 * first ones with addresses count.  Returns false if memory runs out. */
bool tg_cost_find_swizzles(tg_cost_site *sites, const tg_cost_addresses *addresses, uint32_t count);

#endif
