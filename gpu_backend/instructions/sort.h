/* Stable sorts along an axis: each element counts those that come before it, and goes to that
 * place. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_SORT_H
#define TG_GPU_BACKEND_INSTRUCTIONS_SORT_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

void tg_ptx_sort(tg_ptx_emitter *em, const struct tg_inst_sort *sort);

#endif
