/* Emits instructions in order, and the jumps between them.  All threads jump together, since the
 * values that decide are uniform. */
#ifndef TG_GPU_BACKEND_KERNEL_CONTROL_H
#define TG_GPU_BACKEND_KERNEL_CONTROL_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* Emits the instructions of the body or of an index map.  After the last one, control continues
 * with the rows that follow. */
void tg_ptx_code(tg_ptx_emitter *em, const tg_code *code);

#endif
