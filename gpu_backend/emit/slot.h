/* Where slots and their operands are. */
#ifndef TG_GPU_BACKEND_EMIT_SLOT_H
#define TG_GPU_BACKEND_EMIT_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"
#include "plan/plan.h"

/* The address of the slot's first byte.  The slot must be in memory. */
tg_ptx_reg tg_ptx_slot_address(tg_ptx_emitter *em, tg_slot_id slot);

/* The state space of a slot, the storage that an operand has there, and its strides in that
 * storage. */
tg_ptx_space tg_ptx_slot_space(const tg_ptx_emitter *em, tg_slot_id slot);
int tg_ptx_storage_of(const tg_ptx_emitter *em, const tg_operand *o);
const int64_t *tg_ptx_strides(const tg_ptx_emitter *em, const tg_operand *o);

/* Bytes from the slot's address to the operand's first element. */
int64_t tg_ptx_displacement(const tg_ptx_emitter *em, const tg_operand *o);

/* Whether all elements of an operand are one value that need not be in memory.  Loads of such an
 * operand ignore the index. */
bool tg_ptx_is_one(const tg_ptx_emitter *em, const tg_operand *o);

#endif
