/* Ops beside the threads as they are made, before they start. */
#ifndef TG_INTERP_SYNC_ASYNC_MAKE_H
#define TG_INTERP_SYNC_ASYNC_MAKE_H

#include "interp/sync/async_op.h"

/* Makes the op of the instruction, with all of its sides that are refs.  Returns false if memory runs
 * out; free it in either case, unless it has started. */
bool tg_async_make(tg_machine *m, const tg_inst *inst, tg_async_op *op);
void tg_async_free(tg_async_op *op);

#endif
