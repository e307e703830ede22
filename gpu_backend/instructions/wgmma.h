/* Products beside the threads as wgmma.mma_async, of sm_90a: a warpgroup of 128 threads multiplies 64 rows by up to
 * 64 columns.  docs/gpu.md says which products are. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_WGMMA_H
#define TG_GPU_BACKEND_INSTRUCTIONS_WGMMA_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

enum { TG_PTX_WARPGROUP = 128 }; /* threads */

/* Whether the target has an instruction for the product whose bits the profile allows. */
bool tg_ptx_wgmma_wants(const tg_ptx_emitter *em, const struct tg_inst_async *product);

/* Bytes of shared memory for the tiles of such a product in all teams; 0 for others. */
size_t tg_ptx_wgmma_bytes(const tg_ptx_emitter *em, const struct tg_inst_async *product);

/* Whether each team is whole warpgroups, and shared memory has room for the tiles. */
bool tg_ptx_wgmma_fits(const tg_ptx_emitter *em);

/* The product, of which both of the above are true. */
void tg_ptx_wgmma(tg_ptx_emitter *em, const struct tg_inst_async *product);

#endif
