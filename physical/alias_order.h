/* Memory that a kernel uses by two names, that of an input and that of the output that shares it. */
#ifndef TG_PHYSICAL_ALIAS_ORDER_H
#define TG_PHYSICAL_ALIAS_ORDER_H

#include "ir/ir.h"

/* An op that uses the memory by one name where an earlier op of the same program may have written it by
 * the other: a copy of the block, made when the program began, would not have what was written.  `output`
 * is an alias.  *out is NULL if there is none.  TG_ERR_NO_MEMORY. */
tg_status tg_alias_find_stale(const tg_kernel *kernel, uint32_t output, const tg_op **out);

#endif
