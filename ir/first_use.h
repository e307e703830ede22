/* What a region does first with a value. */
#ifndef TG_IR_FIRST_USE_H
#define TG_IR_FIRST_USE_H

#include "ir/ir.h"

/* Returns the first op of the region, from number `from` on, that has one of `count` values as an operand,
 * or an op in its regions has; NULL: there is none. */
const tg_op *tg_region_first_use(const tg_region *region, uint32_t from, const tg_value_id *values,
                                 int count);

/* Whether the op stores to every element of the ref, whatever was there. */
bool tg_op_overwrites(const tg_kernel *kernel, const tg_op *op, tg_value_id ref);

#endif
