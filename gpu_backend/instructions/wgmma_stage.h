/* Brings chunks of factors to where wgmma reads them. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_WGMMA_STAGE_H
#define TG_GPU_BACKEND_INSTRUCTIONS_WGMMA_STAGE_H

#include "gpu_backend/instructions/wgmma_tile.h"

/* Sets the descriptors of both tiles. */
void tg_ptx_wgmma_describe(tg_ptx_emitter *em, tg_ptx_wgmma_tiles *t);

/* What a step along k adds to a descriptor. */
int64_t tg_ptx_wgmma_descriptor_step(const tg_ptx_wgmma_side *side);

/* Copies the current chunk of both factors, with zeros beyond their ends.  All threads of the team do it together;
 * what lies there before must not be needed any more. */
void tg_ptx_wgmma_stage(tg_ptx_emitter *em, const tg_ptx_wgmma_tiles *t);

#endif
