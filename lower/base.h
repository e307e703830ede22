/* The common ground of the lowering: its memory, and the making of instructions, slots and refs. */
#ifndef TG_LOWER_BASE_H
#define TG_LOWER_BASE_H

#include "lower/impl.h"

/* Zeroed memory of the plan; gives up without memory. */
void *tg_lower_take(tg_lowerer *l, size_t count, size_t size);

/* Makes room for one more entry in a growing array of the scratch arena. */
void *tg_lower_grow(tg_lowerer *l, void *list, uint32_t count, uint32_t *capacity, size_t size);

TG_PRINTF(4, 5)
_Noreturn void tg_lower_fail(tg_lowerer *l, tg_status status, const tg_op *op, const char *format,
                             ...);

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
