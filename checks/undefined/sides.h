/* The shadow of what an op beside the program reads and writes. */
#ifndef TG_CHECKS_UNDEFINED_SIDES_H
#define TG_CHECKS_UNDEFINED_SIDES_H

#include "checks/undefined/shadow.h"
#include "interp/sync/async_op.h"

/* The memory of a side.  Another thread of the chain may let the op take place: it has no refs to the
 * sides, and scoped memory of its own. */
tg_memory_shadow tg_side_memory(const tg_machine *m, const tg_async_op *op,
                                const tg_async_place *place, const tg_async_side *side);

/* Gets the words of all elements of a side, row-major; elements that it lacks have the word
 * `outside`. */
void tg_side_get(const tg_memory_shadow *memory, const tg_async_side *side, const tg_type *type,
                 uint32_t outside, uint32_t *words);

/* Sets the words of those elements that the side has. */
void tg_side_set(const tg_memory_shadow *memory, const tg_async_side *side, const tg_type *type,
                 const uint32_t *words);

/* Whether the side has all of its elements, and all of them are defined.  Holds the lock of the
 * planes meanwhile. */
bool tg_side_is_defined(const tg_machine *m, const tg_async_op *op, const tg_async_place *place,
                        const tg_async_side *side);

/* Marks all elements that the side has as defined; likewise. */
void tg_side_define(const tg_machine *m, const tg_async_op *op, const tg_async_place *place,
                    const tg_async_side *side);

#endif
