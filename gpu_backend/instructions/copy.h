/* Copies of views: plain ones, and those from or to a part that is chosen at run time. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_COPY_H
#define TG_GPU_BACKEND_INSTRUCTIONS_COPY_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

void tg_ptx_copy(tg_ptx_emitter *em, const struct tg_inst_copy *copy);
void tg_ptx_dynamic(tg_ptx_emitter *em, const struct tg_inst_dynamic *dynamic);

#endif
