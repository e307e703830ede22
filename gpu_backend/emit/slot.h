/* Where slots are, and the operands in them. */
#ifndef TG_GPU_BACKEND_EMIT_SLOT_H
#define TG_GPU_BACKEND_EMIT_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"
#include "plan/plan.h"

/* Address of the slot's first byte; of one in memory only. */
tg_ptx_reg tg_ptx_slot_address(tg_ptx_emitter *em, tg_slot_id slot);

/* Where a slot is, and which kind of storage its operands have there. */
tg_ptx_space tg_ptx_slot_space(const tg_ptx_emitter *em, tg_slot_id slot);
int tg_ptx_storage_of(const tg_ptx_emitter *em, const tg_operand *o);
const int64_t *tg_ptx_strides(const tg_ptx_emitter *em, const tg_operand *o);

/* Bytes from the slot's address to the operand's first element. */
int64_t tg_ptx_displacement(const tg_ptx_emitter *em, const tg_operand *o);

/* Whether all elements of an operand are one, which need not lie in memory: loads have it from
 * anywhere. */
bool tg_ptx_is_one(const tg_ptx_emitter *em, const tg_operand *o);

#endif
