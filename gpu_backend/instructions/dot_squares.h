/* Matrix products by tiles, where each thread computes a square of 4 x 4 elements of the result.
 * Each element is one chain of fused multiply-adds, k ascending, as in the variant with a thread
 * for each element. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_DOT_SQUARES_H
#define TG_GPU_BACKEND_INSTRUCTIONS_DOT_SQUARES_H

#include "gpu_backend/instructions/dot_tile.h"

extern const tg_ptx_tile_use tg_ptx_use_of_squares;

#endif
