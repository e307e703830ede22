/* What the check knows of a launch. */
#ifndef TG_CHECKS_MEMORY_COST_STATE_H
#define TG_CHECKS_MEMORY_COST_STATE_H

#include <pthread.h>

#include "checks/memory_cost/known.h"
#include "checks/memory_cost/registers.h"
#include "checks/memory_cost/swizzle.h"

/* An instruction of the body that accesses memory. */
typedef struct tg_cost_inst {
    uint32_t site; /* UINT32_MAX: it is not looked at */
    tg_cost_memory memory;
    tg_axe *address; /* of memory.layout */
    bool is_given;   /* `held` says which lane holds what; else the standard distribution does */
    tg_value_registers held;
    tg_known_costs known;
} tg_cost_inst;

/* The access of a site's witness. */
typedef struct tg_cost_witness {
    const tg_inst *inst;
    bool has_key;
    tg_cost_key key;
} tg_cost_witness;

typedef struct tg_memory_cost {
    const tg_plan *plan;
    int64_t warps;
    tg_cost_inst *insts; /* per instruction of the body */
    uint32_t site_count;
    tg_cost_site *sites;
    tg_cost_witness *witnesses;   /* per site */
    tg_cost_addresses *addresses; /* per site, of its witness */
    bool is_shared, is_incomplete;
    pthread_mutex_t lock; /* of sites and of what is known */
} tg_memory_cost;

/* Finds the sites of the plan.  Returns NULL if memory runs out. */
tg_memory_cost *tg_memory_cost_new(const tg_plan *plan, int64_t warps);
void tg_memory_cost_free(tg_memory_cost *c);

/* Forgets all accesses. */
void tg_memory_cost_clear(tg_memory_cost *c);

#endif
