/* Groups of element-wise ops: one loop over the elements, through all ops of the group in
 * registers. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_GROUP_H
#define TG_GPU_BACKEND_INSTRUCTIONS_GROUP_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

void tg_ptx_group(tg_ptx_emitter *em, const tg_group *group);

#endif
