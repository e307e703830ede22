/* Regions: what they use, and op by op what becomes of them. */
#ifndef TG_LOWER_REGION_H
#define TG_LOWER_REGION_H

#include "lower/impl.h"

/* Counts into value_uses what live ops of the region use, and notes in value_op what defines it. */
void tg_lower_count_uses(tg_lowerer *l, const tg_region *region);

/* What the regions of `op` use from outside is computed before them, not in each of their turns. */
void tg_lower_captured(tg_lowerer *l, const tg_op *op);

/* Lowers all live ops of the region by l->lower_op, up to the first that fails; its yields may stay
 * pending.  After a failure they may have no node at all. */
void tg_lower_region(tg_lowerer *l, const tg_region *region);

#endif
