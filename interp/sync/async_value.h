/* What an op beside the thread reads that is a value: kept from its start on. */
#ifndef TG_INTERP_SYNC_ASYNC_VALUE_H
#define TG_INTERP_SYNC_ASYNC_VALUE_H

#include "interp/sync/async_op.h"

/* Keeps the first source, which is a value, as it is now, and makes a side of it.  Returns false if
 * memory runs out. */
bool tg_async_keep_value(tg_machine *m, tg_async_op *op);

#endif
