/* Memory of a program whose first values nobody can see. */
#ifndef TG_LOWER_OVERWRITTEN_H
#define TG_LOWER_OVERWRITTEN_H

#include "lower/impl.h"

/* Whether the first thing that the region does with the memory, from its op number `from` on, is to store
 * to all of it, directly or by a view_layout without holes. */
bool tg_lower_is_overwritten(const tg_lowerer *l, const tg_region *region, uint32_t from,
                             tg_value_id memory);

#endif
