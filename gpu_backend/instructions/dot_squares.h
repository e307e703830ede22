/* Matrix products by tiles, a square of 4 x 4 elements of the result for each thread: one chain of
 * fused multiply-adds for each, k ascending, as the form with a thread for each element has it. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_DOT_SQUARES_H
#define TG_GPU_BACKEND_INSTRUCTIONS_DOT_SQUARES_H

#include "gpu_backend/instructions/dot_tile.h"

extern const tg_ptx_tile_use tg_ptx_use_of_squares;

#endif
