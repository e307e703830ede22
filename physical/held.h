/* Where the values of a kernel are held: what the kernel says, and what follows from that. */
#ifndef TG_PHYSICAL_HELD_H
#define TG_PHYSICAL_HELD_H

#include "ir/ir.h"
#include "layout/shape.h"

typedef struct tg_held {
    const tg_kernel *kernel;
    const tg_axe **layout; /* per value: where a block of values is held; NULL: it is not known */
    const tg_op **made_by; /* per value: the op that defines it; NULL: an argument of a region */
    tg_arena arena;        /* of layouts that were derived */
    bool failed;           /* memory ran out */
} tg_held;

/* Goes through the kernel once.  A layout that is declared counts; otherwise
 *
 *   element-wise ops, convert, reshape, bitcast to the same width   have that of their operands
 *   transpose, slice                                                have that part of it
 *   arguments of loops                                              have that of what they begin with
 *
 * The kernel outlives it.  Returns TG_ERR_NO_MEMORY, or TG_OK; ends with tg_held_free either way. */
tg_status tg_held_find(const tg_kernel *kernel, tg_held *out);
void tg_held_free(tg_held *held);

/* Whether elements of the result of an op are where those of its operands with their indices are. */
bool tg_held_is_in_place(tg_opcode code);

/* The layout of an op's only result that follows from those of its operands, whatever the kernel says of
 * it; NULL: none does, or memory ran out. */
const tg_axe *tg_held_derived(tg_held *held, const tg_op *op);

/* The shape of a value, for operations on layouts. */
void tg_held_shape(const tg_type *type, tg_shape *out);

#endif
