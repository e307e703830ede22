/* Basic functions of the lowering: memory, and creation of instructions, slots and refs. */
#ifndef TG_LOWER_BASE_H
#define TG_LOWER_BASE_H

#include "lower/impl.h"

/* A failure is stored in l->failed and reported once; no further op is lowered then, and the plan
 * is dropped.  Until control returns to tg_lower_region, nodes, slots and refs that could not be
 * made have the id 0, which is safe to read, and operands have the shape that they would have had.
 * So a function has to check for failure only after it allocates memory, and before it uses the
 * results of a nested region. */

/* Allocates the lists of instructions, nodes, slots and refs, so that entry 0 of each exists. */
void tg_lower_begin(tg_lowerer *l);

/* Return zeroed memory: tg_lower_take from the plan, tg_lower_scratch until the lowering ends.
 * NULL if memory runs out. */
void *tg_lower_take(tg_lowerer *l, size_t count, size_t size);
void *tg_lower_scratch(tg_lowerer *l, size_t count, size_t size);

/* Makes room for one more element in a list in scratch memory.  Returns the list, which may have
 * moved; NULL if memory runs out: the list is then unchanged. */
void *tg_lower_grow(tg_lowerer *l, void *list, uint32_t count, uint32_t *capacity, size_t size);

/* Reports a failure at the op, or of the lowering as a whole if `op` is NULL. */
TG_PRINTF(4, 5)
void tg_lower_fail(tg_lowerer *l, tg_status status, const tg_op *op, const char *format, ...);

/* Reports that memory ran out. */
void tg_lower_no_memory(tg_lowerer *l);

/* Appends an instruction and returns it; never NULL. */
tg_inst *tg_lower_emit(tg_lowerer *l, tg_inst_kind kind, tg_opcode op, uint32_t loc);

/* Moves the instructions emitted since the last call into code of their own, with an END. */
tg_code tg_lower_take_code(tg_lowerer *l);

tg_slot_id tg_lower_slot(tg_lowerer *l, tg_dtype dtype, int64_t count);
tg_slot_id tg_lower_constant(tg_lowerer *l, tg_dtype dtype, int64_t count, const void *bytes);

/* A slot for one undefined element, which the backend fills. */
tg_slot_id tg_lower_undefined(tg_lowerer *l, tg_dtype dtype);
tg_ref_id tg_lower_ref(tg_lowerer *l, const tg_type *type, uint32_t root, const int64_t *stride);

/* Returns the operand for a whole slot, row-major, in the shape of `type`. */
tg_operand tg_lower_dense(tg_slot_id slot, const tg_type *type);

#endif
