/* Instructions one after the other, and the jumps between them.  All threads jump together: what
 * decides is the same in all of them. */
#ifndef TG_GPU_BACKEND_KERNEL_CONTROL_H
#define TG_GPU_BACKEND_KERNEL_CONTROL_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* The instructions of the body, or of an index map.  Control falls out of the end. */
void tg_ptx_code(tg_ptx_emitter *em, const tg_code *code);

#endif
