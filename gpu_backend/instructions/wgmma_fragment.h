/* The part of a sum that a thread has in registers: from memory and back. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_WGMMA_FRAGMENT_H
#define TG_GPU_BACKEND_INSTRUCTIONS_WGMMA_FRAGMENT_H

#include "gpu_backend/instructions/wgmma_tile.h"

/* Takes registers for the sum, and sets row and column of the current tile. */
void tg_ptx_wgmma_place_sum(tg_ptx_emitter *em, tg_ptx_wgmma_tiles *t);

/* What lies beyond the sum's ends is 0, and is not stored. */
void tg_ptx_wgmma_load_sum(tg_ptx_emitter *em, const tg_ptx_wgmma_tiles *t);
void tg_ptx_wgmma_store_sum(tg_ptx_emitter *em, const tg_ptx_wgmma_tiles *t);

#endif
