/* The memory that an access is in: its space, and where in it the elements are.
 *
 * All that this check knows of memory comes from here. */
#ifndef TG_CHECKS_MEMORY_COST_MEMORY_H
#define TG_CHECKS_MEMORY_COST_MEMORY_H

#include "interp/state/ref.h"
#include "layout/axe.h"
#include "plan/plan.h"

typedef enum tg_cost_space {
    TG_COST_NOWHERE, /* the memory has neither banks nor sectors */
    TG_COST_SHARED,
    TG_COST_GLOBAL
} tg_cost_space;

typedef struct tg_cost_memory {
    tg_cost_space space;
    int element_bytes;
    int64_t bytes; /* of all elements, or as far as the layout reaches */
    const tg_axe
        *layout; /* from the number of an element to its address, on axis m; NULL: row-major */
    /* The layout is one of blocks of this param: elements are numbered in the block that a program
     * has.  UINT32_MAX: in the memory itself. */
    uint32_t block_of;
    int block_rank;
} tg_cost_memory;

/* Where a byte is that row-major memory has at `byte`.  `block`: the ref to the block that the program
 * has; NULL: there are none. */
int64_t tg_cost_memory_byte(const tg_cost_memory *memory, const tg_ref *block, int64_t byte);

/* Gives each ref of the plan the number of its memory: refs to one memory have the same.
 * `numbers` has room for plan->ref_count. */
void tg_cost_memory_numbers(const tg_plan *plan, uint32_t *numbers);

/* The memory with a number, by the name that an access has for it.  Scratch and scoped memory are shared
 * memory and all other memory is global, unless its space says otherwise.  If there is a layout,
 * `address` becomes that of the memory, and must outlive it. */
tg_cost_memory tg_cost_memory_of(const tg_plan *plan, const tg_access_plan *access, uint32_t number,
                                 tg_axe *address);

#endif
