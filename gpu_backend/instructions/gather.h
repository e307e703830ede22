/* XLA's gather and scatter: slices at starts that depend on values. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_GATHER_H
#define TG_GPU_BACKEND_INSTRUCTIONS_GATHER_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

void tg_ptx_gather(tg_ptx_emitter *em, const struct tg_inst_gather *gather);
void tg_ptx_scatter(tg_ptx_emitter *em, const struct tg_inst_scatter *scatter);

#endif
