/* The common ground of the lowering: its memory, and the making of instructions, slots and refs. */
#ifndef TG_LOWER_BASE_H
#define TG_LOWER_BASE_H

#include "lower/impl.h"

/* A failure is remembered in l->failed and told once; no further op is lowered then, and the plan
 * is dropped.  Until the lowering is back at the region, ids of nodes, slots and refs that could
 * not be made are 0, which is one that can be looked at, and operands have the shape of what they
 * would have shown.  So a function asks for a failure only where it takes memory, or uses what a
 * region inside left. */

/* Makes the lists of instructions, nodes, slots and refs, so that they are never without memory. */
void tg_lower_begin(tg_lowerer *l);

/* Zeroed memory of the plan, or for the time of the lowering; NULL without memory. */
void *tg_lower_take(tg_lowerer *l, size_t count, size_t size);
void *tg_lower_scratch(tg_lowerer *l, size_t count, size_t size);

/* Sees to it that a list in scratch memory has room for one more: returns where it is now.  NULL
 * without memory; the list then is as it was. */
void *tg_lower_grow(tg_lowerer *l, void *list, uint32_t count, uint32_t *capacity, size_t size);

/* Remembers a failure of the op, or of the lowering as such where `op` is NULL. */
TG_PRINTF(4, 5)
void tg_lower_fail(tg_lowerer *l, tg_status status, const tg_op *op, const char *format, ...);

/* Remembers that memory is exhausted. */
void tg_lower_no_memory(tg_lowerer *l);

/* Never NULL. */
tg_inst *tg_lower_emit(tg_lowerer *l, tg_inst_kind kind, tg_opcode op, uint32_t loc);

/* What was emitted since the last time, with an end, as code of its own. */
tg_code tg_lower_take_code(tg_lowerer *l);

tg_slot_id tg_lower_slot(tg_lowerer *l, tg_dtype dtype, int64_t count);
tg_slot_id tg_lower_constant(tg_lowerer *l, tg_dtype dtype, int64_t count, const void *bytes);

/* One undefined element, for the backend to fill in. */
tg_slot_id tg_lower_undefined(tg_lowerer *l, tg_dtype dtype);
tg_ref_id tg_lower_ref(tg_lowerer *l, const tg_type *type, uint32_t root, const int64_t *stride);

/* The whole of a slot, row-major, in the shape of `type`. */
tg_operand tg_lower_dense(tg_slot_id slot, const tg_type *type);

#endif
