/* Where the values of a kernel are held: what the kernel says, and what follows from that. */
#ifndef TG_PHYSICAL_HELD_H
#define TG_PHYSICAL_HELD_H

#include "ir/ir.h"
#include "layout/shape.h"

typedef struct tg_held {
    const tg_kernel *kernel;
    const tg_axe **layout; /* per value: where a block of values is held; NULL: it is not known */
    const tg_op **made_by; /* per value: the op that defines it; NULL: an argument of a region */
    const tg_op **used_by; /* per value: the last op that uses it; a yield is not one */
    uint32_t *uses;        /* per value: how many ops and yields use it */
    tg_arena arena;        /* of layouts that were derived */
    bool failed;           /* memory ran out */
} tg_held;

/* Goes through the kernel once.  A layout that is declared counts; otherwise
 *
 *   element-wise ops, convert, cumulative ops, sort                 have that of their operands
 *   reshape, bitcast to the same width, transpose, rev, slice       have it at other indices
 *   arguments of loops                                              have that of what they begin with
 *
 * The kernel outlives it.  Returns TG_ERR_NO_MEMORY, or TG_OK; ends with tg_held_free either way. */
tg_status tg_held_find(const tg_kernel *kernel, tg_held *out);
void tg_held_free(tg_held *held);

/* Where the value is held that an op loads, or stores in memory; NULL: it is not known.  A load has no layout
 * where its result goes to a `layout_cast` only: it is loaded as the cast says. */
const tg_axe *tg_held_moved(const tg_held *held, const tg_op *op);

/* The shape of a value, for operations on layouts. */
void tg_held_shape(const tg_type *type, tg_shape *out);

#endif
