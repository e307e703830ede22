/* Operands with an element that is forbidden, or breaks a promise. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_GUARD_H
#define TG_GPU_BACKEND_INSTRUCTIONS_GUARD_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

void tg_ptx_guard(tg_ptx_emitter *em, const struct tg_inst_guard *guard);

#endif
