/* The block of each param that a program gets. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_BLOCK_H
#define TG_GPU_BACKEND_INSTRUCTIONS_BLOCK_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"

/* Makes the ref of a param's block of the program in the making; numbers of its index map are
 * settled. */
void tg_ptx_ref_start(tg_ptx_emitter *em, uint32_t param);

#endif
