/* Loads and stores of operands' elements: between their slots and registers. */
#ifndef TG_GPU_BACKEND_EMIT_OPERAND_H
#define TG_GPU_BACKEND_EMIT_OPERAND_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/text/writer.h"
#include "plan/plan.h"

/* The number of elements of an operand. */
int64_t tg_ptx_count(const tg_operand *o);

/* The operand's shape, with its strides in the storage that it has now. */
tg_ptx_strided tg_ptx_strided_of(const tg_ptx_emitter *em, const tg_operand *o);

/* Load and store one element of an operand, by its index as tg_ptx_unravel gives it. */
tg_ptx_reg tg_ptx_load(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_reg *index);
void tg_ptx_store(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_reg *index,
                  tg_ptx_reg value);

/* The same, with the operand's elements seen in another shape, with strides of its own. */
tg_ptx_reg tg_ptx_load_strided(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_strided *s,
                               const tg_ptx_reg *index);
void tg_ptx_store_strided(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_strided *s,
                          const tg_ptx_reg *index, tg_ptx_reg value);

/* Loads the one value of an operand whose elements are all equal (tg_ptx_is_one). */
tg_ptx_reg tg_ptx_load_any(tg_ptx_emitter *em, const tg_operand *o);

/* tg_ptx_operand_multiple returns a power of two that divides the address of the operand's first
 * element, in bytes.  The other two load and store `width` (2 or 4) contiguous elements from
 * `index` on; their address must be a multiple of their total size. */
int64_t tg_ptx_operand_multiple(const tg_ptx_emitter *em, const tg_operand *o);
void tg_ptx_load_vector(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_strided *s,
                        const tg_ptx_reg *index, int width, tg_ptx_reg *out);
void tg_ptx_store_vector(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_strided *s,
                         const tg_ptx_reg *index, int width, const tg_ptx_reg *values);

#endif
