/* Loads and stores: an element is found and moved. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_ACCESS_H
#define TG_GPU_BACKEND_INSTRUCTIONS_ACCESS_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

void tg_ptx_access_load(tg_ptx_emitter *em, const struct tg_inst_access *load);
void tg_ptx_access_store(tg_ptx_emitter *em, const struct tg_inst_access *store);

/* In front of what computes the value of a store: where that is to lie, if it may lie in the array
 * from the first. */
void tg_ptx_access_target(tg_ptx_emitter *em, const struct tg_inst_access *store);

#endif
