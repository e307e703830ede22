/* Decides where barriers stand: which memory instructions access, and which accesses conflict. */
#ifndef TG_GPU_BACKEND_EMIT_BARRIER_H
#define TG_GPU_BACKEND_EMIT_BARRIER_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

enum { TG_PTX_WARP = 32 };

/* An extent of the workspace, in bytes. */
tg_ptx_extent tg_ptx_extent_of(size_t start, size_t bytes);

/* Whether they may have bytes in common. */
bool tg_ptx_overlap(const tg_ptx_extent *a, const tg_ptx_extent *b);

/* Declare what the next rows access.  Declare everything before the first row that accesses memory,
 * then call tg_ptx_ready, which emits a barrier if one is needed.  A slot's memory is wherever the
 * slot is at that time; among slots that exchange memory, an access to one counts as an access to
 * all. */
void tg_ptx_access_extent(tg_ptx_emitter *em, tg_ptx_extent extent, bool is_write);
void tg_ptx_access_slot(tg_ptx_emitter *em, tg_slot_id slot, bool is_write);
void tg_ptx_reads(tg_ptx_emitter *em, const tg_operand *o);
void tg_ptx_writes(tg_ptx_emitter *em, const tg_operand *o);
void tg_ptx_ready(tg_ptx_emitter *em);

/* tg_ptx_ready_for_inst is tg_ptx_ready for a whole instruction, after all its accesses have been
 * declared (kernel/hazard.h).  tg_ptx_ready_again is for the rest of the instruction after a
 * barrier within it: the rest may repeat any of these accesses. */
void tg_ptx_ready_for_inst(tg_ptx_emitter *em);
void tg_ptx_ready_again(tg_ptx_emitter *em);

/* The row of a barrier of the team.  Not bar.sync, which is barrier.sync.aligned and asks that the threads of a warp
 * arrive together: ptxas need not bring a warp together again behind a loop that its threads leave one by one, such as
 * that of a compare-and-swap.  With bar.sync an H100 gave wrong bits behind one (docs/gpu-results.md). */
void tg_ptx_barrier_row(tg_ptx_emitter *em);

/* Emits a barrier of all threads of the CTA, or of its cluster, behind which no access of the team is
 * pending. */
void tg_ptx_barrier_of_all(tg_ptx_emitter *em);

/* Emits a barrier, unless nothing was accessed since the last one. */
void tg_ptx_settle(tg_ptx_emitter *em);

/* Emits a barrier within an instruction.  Call tg_ptx_ready_again before the rest of the
 * instruction. */
void tg_ptx_barrier(tg_ptx_emitter *em);

#endif
