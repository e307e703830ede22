/* Matrix products tile by tile.
 *
 *            k0 .. k0+15                     cols              threads of a CTA, each with 16 sums
 *          +-----------+              +---------------+        of a tile of the result
 *    rows  | left tile |   k0..k0+15  |  right tile   |
 *          +-----------+              +---------------+
 *
 * For each tile of the result, all threads copy 16 indices of k of both sides to shared memory,
 * wait at a barrier, read their factors from there, and wait again.  Where a tile reaches beyond
 * the result, its rows and columns are copies of the last one, and no thread stores their sums.
 * Beyond the end of k the tiles hold zeros, for the variants that read them. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_DOT_BRING_H
#define TG_GPU_BACKEND_INSTRUCTIONS_DOT_BRING_H

#include <stddef.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/instructions/dot_tile.h"
#include "plan/plan.h"

/* Bytes of shared memory that the product needs in this variant; 0 if the variant does not fit the
 * product. */
size_t tg_ptx_tiled_bytes(const tg_ptx_emitter *em, const struct tg_inst_dot *dot,
                          const tg_ptx_tile_use *use);

/* Emits the whole product in a variant that fits it. */
void tg_ptx_dot_tiled(tg_ptx_emitter *em, const struct tg_inst_dot *dot,
                      const tg_ptx_tile_use *use);

#endif
