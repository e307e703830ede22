/* The walk over the grid: all chains, and in each chain all steps.  Each step sets up the program's
 * blocks and runs the body. */
#ifndef TG_GPU_BACKEND_KERNEL_WALK_H
#define TG_GPU_BACKEND_KERNEL_WALK_H

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"

/* The whole walk of the CTA with index `cta` (.b64), up to the end of the entry. */
void tg_ptx_walk_grid(tg_ptx_emitter *em, tg_ptx_reg cta);

#endif
