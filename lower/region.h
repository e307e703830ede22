/* Regions: counts the values that they use, and lowers them op by op. */
#ifndef TG_LOWER_REGION_H
#define TG_LOWER_REGION_H

#include "lower/impl.h"

/* Adds the uses of values by live ops of the region to value_uses, and sets in value_op the ops
 * that define values. */
void tg_lower_count_uses(tg_lowerer *l, const tg_region *region);

/* Makes ready all values that the regions of `op` use from outside, so that they are computed once
 * before the regions, and not in each turn. */
void tg_lower_captured(tg_lowerer *l, const tg_op *op);

/* Lowers all live ops of the region with l->lower_op, up to the first that fails.  The yields of
 * the region may stay pending; after a failure they may have no node. */
void tg_lower_region(tg_lowerer *l, const tg_region *region);

#endif
