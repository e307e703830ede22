/* What each instruction of the plan touches (emit/barrier.h). */
#ifndef TG_GPU_BACKEND_KERNEL_HAZARD_H
#define TG_GPU_BACKEND_KERNEL_HAZARD_H

#include <stddef.h>

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* Says all that the instruction reads and writes; tg_ptx_ready_for_inst is to follow, before it is
 * emitted. */
void tg_ptx_touch_inst(tg_ptx_emitter *em, const tg_inst *inst);

/* Bytes of the workspace that the instruction has to itself, besides its operands. */
size_t tg_ptx_extra(const tg_ptx_emitter *em, const tg_inst *inst);

#endif
