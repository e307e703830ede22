/* Reading bits as another dtype: elements that are wider than those they come from take several,
 * lowest bits first; narrower ones take a part. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_BITCAST_H
#define TG_GPU_BACKEND_INSTRUCTIONS_BITCAST_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

void tg_ptx_bitcast(tg_ptx_emitter *em, const struct tg_inst_bitcast *cast);

#endif
