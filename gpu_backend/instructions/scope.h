/* Memory of the workspace that refs point to: scoped memory and scratch. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_SCOPE_H
#define TG_GPU_BACKEND_INSTRUCTIONS_SCOPE_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"
#include "plan/plan.h"

/* Fills `count` elements of the workspace, from the address base + displacement on, with their
 * initial values: 0 for semaphores, undefined for all others. */
void tg_ptx_fill_first(tg_ptx_emitter *em, tg_dtype dtype, int64_t count, tg_ptx_reg base,
                       int64_t displacement);

#endif
