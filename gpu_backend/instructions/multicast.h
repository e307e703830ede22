/* Copies from global memory to several blocks of a cluster, as one bulk copy that goes to all of them. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_MULTICAST_H
#define TG_GPU_BACKEND_INSTRUCTIONS_MULTICAST_H

#include <stdbool.h>

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* Whether the copy is one of several that may be one.  They start with the last of them: before that nothing is
 * emitted.  A copy may start later, and nothing stands between them that accesses memory. */
bool tg_ptx_multicast(tg_ptx_emitter *em, const tg_inst *inst);

#endif
