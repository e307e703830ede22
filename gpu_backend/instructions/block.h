/* The block of each param that a program gets through its index map. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_BLOCK_H
#define TG_GPU_BACKEND_INSTRUCTIONS_BLOCK_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"

/* Sets the ref of a param to the current program's block.  The results of its index map must be
 * available. */
void tg_ptx_ref_start(tg_ptx_emitter *em, uint32_t param);

#endif
