/* The words of a value that an op beside the thread reads: kept, as the value is, from its start on. */
#ifndef TG_CHECKS_UNDEFINED_KEPT_H
#define TG_CHECKS_UNDEFINED_KEPT_H

#include "checks/undefined/shadow.h"
#include "interp/sync/async_op.h"

/* Keeps the words of the op's first source, dense, as its note, if that is a value; the note stays NULL
 * if all of it is defined. */
void tg_shadow_async_starts(tg_machine *m, const tg_async_op *op);

/* The word of the element of that value at `index`. */
uint32_t tg_shadow_kept(const tg_machine *m, const tg_async_op *op, const int64_t *index);

#endif
