/* Operands in other shapes: views where strides can say it, copies where not. */
#ifndef TG_LOWER_OPERANDS_H
#define TG_LOWER_OPERANDS_H

#include "lower/impl.h"

void tg_lower_copy(tg_lowerer *l, tg_operand to, tg_operand from, const tg_op *op);

/* `from` with the rank and shape of `type` and no strides yet. */
tg_operand tg_operand_reshaped(const tg_operand *from, const tg_type *type);

/* The part of `from` with `type`'s shape that starts at `start` and takes every stride-th element;
 * all of them where `stride` is NULL. */
tg_operand tg_operand_part(const tg_operand *from, const tg_type *type, const int64_t *start,
                           const int64_t *stride);

/* An operand with the same elements whose strides are dense in `type`'s shape: a view if the
 * strides allow, else a copy. */
tg_operand tg_lower_reshape(tg_lowerer *l, tg_operand from, const tg_type *type, const tg_op *op);

/* Whether dimensions [first, first + count) of an operand act as one, in either storage; gives its
 * stride. */
bool tg_operand_merges(const tg_operand *o, int first, int count, int64_t stride[TG_STORAGE_COUNT]);

#endif
