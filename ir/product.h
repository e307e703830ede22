/* The operands of dot_start behind the sum and the factors. */
#ifndef TG_IR_PRODUCT_H
#define TG_IR_PRODUCT_H

#include "ir/ir.h"

/* Returns the operand with the scales of the left factor, before those of the right one; 0: there are none. */
static inline uint32_t tg_product_scales(const tg_op *op) { return op->in_count >= 5 ? 3 : 0; }

/* Returns the operand that says which elements of the rows of a sparse left factor are there; 0: it is not
 * sparse. */
static inline uint32_t tg_product_selection(const tg_op *op)
{
    return op->in_count % 2 == 0 ? op->in_count - 1 : 0;
}

/* A sparse left factor has so many of the elements of each group. */
enum { TG_SPARSE_GROUP = 4, TG_SPARSE_KEPT = 2 };

#endif
