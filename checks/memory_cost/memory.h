/* The memory that an access is in: its space, and where in it the elements are.
 *
 * All that this check knows of memory comes from here. */
#ifndef TG_CHECKS_MEMORY_COST_MEMORY_H
#define TG_CHECKS_MEMORY_COST_MEMORY_H

#include "layout/axe.h"
#include "plan/plan.h"

typedef enum tg_cost_space {
    TG_COST_NOWHERE, /* the memory has neither banks nor sectors */
    TG_COST_SHARED,
    TG_COST_GLOBAL
} tg_cost_space;

typedef struct tg_cost_memory {
    tg_cost_space space;
    const tg_axe *layout; /* from an element to m, in elements, or to byte; NULL: row-major */
    int element_bytes;    /* of those elements */
    int64_t bytes;        /* of all */
} tg_cost_memory;

/* Where a byte is that row-major memory has at `byte`. */
int64_t tg_cost_memory_byte(const tg_cost_memory *memory, int64_t byte);

/* Gives each ref of the plan the number of its memory: refs to one memory have the same.
 * `numbers` has room for plan->ref_count. */
void tg_cost_memory_numbers(const tg_plan *plan, uint32_t *numbers);

/* The memory with a number.  Scratch and scoped memory are shared memory and all other memory is
 * global, unless its space says otherwise. */
tg_cost_memory tg_cost_memory_of(const tg_plan *plan, uint32_t number);

#endif
