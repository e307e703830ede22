/* Which memory each instruction of the plan accesses (emit/barrier.h). */
#ifndef TG_GPU_BACKEND_KERNEL_HAZARD_H
#define TG_GPU_BACKEND_KERNEL_HAZARD_H

#include <stddef.h>

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* Declares all reads and writes of the instruction.  Call tg_ptx_ready_for_inst next, then emit the
 * instruction. */
void tg_ptx_access_inst(tg_ptx_emitter *em, const tg_inst *inst);

/* Bytes of temporary memory that the instruction needs in the workspace, besides its operands. */
size_t tg_ptx_extra(const tg_ptx_emitter *em, const tg_inst *inst);

#endif
