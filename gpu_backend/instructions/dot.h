/* Matrix products: which form one has; and the plain one, a thread for each element of the result,
 * which is one chain of fused multiply-adds, k ascending. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_DOT_H
#define TG_GPU_BACKEND_INSTRUCTIONS_DOT_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* Settles where tiles of products lie and how many bytes they take; space, workspace and threads
 * are settled. */
void tg_ptx_place_tiles(tg_ptx_emitter *em);

#endif
