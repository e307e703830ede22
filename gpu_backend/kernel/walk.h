/* The walk over the grid: chain after chain, step after step, in each the blocks of the program and
 * the body. */
#ifndef TG_GPU_BACKEND_KERNEL_WALK_H
#define TG_GPU_BACKEND_KERNEL_WALK_H

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"

/* The whole walk of the CTA of that number (.b64), up to the end of the entry. */
void tg_ptx_walk_grid(tg_ptx_emitter *em, tg_ptx_reg cta);

#endif
