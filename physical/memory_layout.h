/* Where elements of a reference are in the memory that it refers to. */
#ifndef TG_PHYSICAL_MEMORY_LAYOUT_H
#define TG_PHYSICAL_MEMORY_LAYOUT_H

#include "physical/held.h"

/* The memory of a reference. */
typedef struct tg_memory {
    const char *space; /* as the kernel names it, or NULL */
    uint32_t param;    /* that has it; UINT32_MAX: of an op's own */
    tg_axe address; /* of the reference's elements, on axis m, from the start of the memory; starts
                          that only the run knows count as 0 */
    const tg_axe *layout; /* as the kernel says of the whole memory; NULL: row-major */
    bool is_fixed;        /* the kernel knows all starts */
} tg_memory;

/* Follows a reference through views to its memory.  TG_ERR_UNSUPPORTED with the reason if no layout says
 * where its elements are: views of other dtypes, parts with lengths of the run, parts without a layout. */
tg_status tg_memory_find(const tg_held *held, tg_value_id ref, tg_memory *out, tg_diags *diags);

/* The same of the part that a load or store accesses, in the order of its block.  TG_ERR_UNSUPPORTED also
 * for slices with strides and for indices that are arrays. */
tg_status tg_memory_accessed(const tg_held *held, const tg_op *op, tg_memory *out, tg_diags *diags);

#endif
