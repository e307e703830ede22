/* Matrix products on the matrix units, for profile fast: f16 and bf16 as they are; f32 as tf32 if
 * the kernel asks for no more than default precision. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_DOT_MMA_H
#define TG_GPU_BACKEND_INSTRUCTIONS_DOT_MMA_H

#include "gpu_backend/instructions/dot_tile.h"

extern const tg_ptx_tile_use tg_ptx_use_of_mma;

#endif
