/* Elements of operands: how they come from their slots into registers and go back. */
#ifndef TG_GPU_BACKEND_EMIT_OPERAND_H
#define TG_GPU_BACKEND_EMIT_OPERAND_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/text/writer.h"
#include "plan/plan.h"

/* Elements of an operand. */
int64_t tg_ptx_count(const tg_operand *o);

/* Its shape, and its strides where it is. */
tg_ptx_strided tg_ptx_strided_of(const tg_ptx_emitter *em, const tg_operand *o);

/* One element of an operand, or its place, by its index as tg_ptx_unravel gives it. */
tg_ptx_reg tg_ptx_load(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_reg *index);
void tg_ptx_store(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_reg *index,
                  tg_ptx_reg value);

/* The same with the operand's elements seen in another shape, by strides of their own. */
tg_ptx_reg tg_ptx_load_strided(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_strided *s,
                               const tg_ptx_reg *index);
void tg_ptx_store_strided(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_strided *s,
                          const tg_ptx_reg *index, tg_ptx_reg value);

/* The element of an operand whose elements are one (tg_ptx_is_one). */
tg_ptx_reg tg_ptx_load_any(tg_ptx_emitter *em, const tg_operand *o);

/* The same for the `width` elements (2 or 4) from there on, which lie one behind the other from a
 * multiple of their bytes on: what divides the address of an operand's first element says so. */
int64_t tg_ptx_operand_multiple(const tg_ptx_emitter *em, const tg_operand *o);
void tg_ptx_load_vector(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_strided *s,
                        const tg_ptx_reg *index, int width, tg_ptx_reg *out);
void tg_ptx_store_vector(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_strided *s,
                         const tg_ptx_reg *index, int width, const tg_ptx_reg *values);

#endif
