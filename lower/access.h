/* Plans accesses: the index, mask and `other` of an access as operands. */
#ifndef TG_LOWER_ACCESS_H
#define TG_LOWER_ACCESS_H

#include "lower/impl.h"

tg_access_plan tg_lower_access(tg_lowerer *l, const tg_op *op);

/* Computes the strides, in elements of memory, of the result of an access without index arrays. */
void tg_lower_memory_strides(const tg_lowerer *l, const tg_access_plan *a, int64_t *stride);

#endif
