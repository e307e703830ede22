/* Matrix products.  Chooses the variant for each product, and holds the plain one: each thread
 * computes elements of the result, each by one chain of fused multiply-adds, k ascending. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_DOT_H
#define TG_GPU_BACKEND_INSTRUCTIONS_DOT_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* Determines where tiles of products lie and how many bytes they need.  The space and size of the
 * workspace and the number of threads must be known. */
void tg_ptx_place_tiles(tg_ptx_emitter *em);

#endif
