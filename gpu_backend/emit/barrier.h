/* Where barriers stand: what instructions touch, and which of them conflict. */
#ifndef TG_GPU_BACKEND_EMIT_BARRIER_H
#define TG_GPU_BACKEND_EMIT_BARRIER_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* Bytes of the workspace. */
tg_ptx_extent tg_ptx_extent_of(size_t start, size_t bytes);

/* What comes next touches: all of it is said before the first row that does, and then tg_ptx_ready
 * sets down the barrier that it needs, if any.  A slot's memory is where the slot is then; of slots
 * that exchange memory each counts as all. */
void tg_ptx_touch_extent(tg_ptx_emitter *em, tg_ptx_extent extent, bool is_write);
void tg_ptx_touch_slot(tg_ptx_emitter *em, tg_slot_id slot, bool is_write);
void tg_ptx_reads(tg_ptx_emitter *em, const tg_operand *o);
void tg_ptx_writes(tg_ptx_emitter *em, const tg_operand *o);
void tg_ptx_ready(tg_ptx_emitter *em);

/* tg_ptx_ready for an instruction, of which all has been said (kernel/hazard.h); and, behind a
 * barrier in its midst, for what is left of it, which may touch all of that again. */
void tg_ptx_ready_for_inst(tg_ptx_emitter *em);
void tg_ptx_ready_again(tg_ptx_emitter *em);

/* A barrier, unless nothing was touched since the last one. */
void tg_ptx_settle(tg_ptx_emitter *em);

/* A barrier in the midst of an instruction, whose rest tg_ptx_ready_again is for. */
void tg_ptx_barrier(tg_ptx_emitter *em);

#endif
