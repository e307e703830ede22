/* Matrix products tile by tile.
 *
 *            k0 .. k0+15                     cols              threads of a CTA, each with 16 sums
 *          +-----------+              +---------------+        of a tile of the result
 *    rows  | left tile |   k0..k0+15  |  right tile   |
 *          +-----------+              +---------------+
 *
 * For each tile of the result all threads bring 16 places of k of both sides into shared memory,
 * wait, take them from there, and wait again.  Where a tile reaches beyond the result, rows and
 * columns there are copies of the last one, and nobody stores what comes of them.  Beyond the end
 * of k are zeros, for those that look. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_DOT_BRING_H
#define TG_GPU_BACKEND_INSTRUCTIONS_DOT_BRING_H

#include <stddef.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/instructions/dot_tile.h"
#include "plan/plan.h"

/* Bytes of shared memory that a product takes in this form; 0 where it is not for it. */
size_t tg_ptx_tiled_bytes(const tg_ptx_emitter *em, const struct tg_inst_dot *dot,
                          const tg_ptx_tile_use *use);

/* The whole product in a form that is for it. */
void tg_ptx_dot_tiled(tg_ptx_emitter *em, const struct tg_inst_dot *dot,
                      const tg_ptx_tile_use *use);

#endif
