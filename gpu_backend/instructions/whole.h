/* The whole of a ref, as copies and products beside the threads read or write it. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_WHOLE_H
#define TG_GPU_BACKEND_INSTRUCTIONS_WHOLE_H

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/instructions/access_walk.h"
#include "plan/plan.h"

/* Parts of it may be outside the array.  It must not move: `walk` points into it. */
typedef struct tg_ptx_whole {
    tg_access_dim dims[TG_MAX_RANK];
    tg_access_plan plan;
    tg_ptx_walk walk;
} tg_ptx_whole;

void tg_ptx_whole_begin(tg_ptx_emitter *em, const tg_async_place *place, tg_ptx_whole *out);

#endif
