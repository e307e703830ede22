/* Operands in other shapes: views if strides can express them, else copies. */
#ifndef TG_LOWER_OPERANDS_H
#define TG_LOWER_OPERANDS_H

#include "lower/impl.h"

void tg_lower_copy(tg_lowerer *l, tg_operand to, tg_operand from, const tg_op *op);

/* Returns `from` with the rank, dtype and shape of `type`; its strides are not set yet. */
tg_operand tg_operand_reshaped(const tg_operand *from, const tg_type *type);

/* Returns the part of `from` with `type`'s shape that starts at `start` and takes every stride-th
 * element; every element if `stride` is NULL. */
tg_operand tg_operand_part(const tg_operand *from, const tg_type *type, const int64_t *start,
                           const int64_t *stride);

/* Returns an operand with the same elements, row-major, in `type`'s shape: a view if the strides
 * allow it, else a copy. */
tg_operand tg_lower_reshape(tg_lowerer *l, tg_operand from, const tg_type *type, const tg_op *op);

/* Whether dimensions [first, first + count) of an operand can be merged into one, in both storages;
 * writes the stride of that dimension. */
bool tg_operand_merges(const tg_operand *o, int first, int count, int64_t stride[TG_STORAGE_COUNT]);

#endif
