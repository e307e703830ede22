/* Encodings of tensors in shared memory: see tg_encoding_to_linear (encoded.h). */
#ifndef TG_LAYOUT_LINEAR_SHARED_H
#define TG_LAYOUT_LINEAR_SHARED_H

#include "layout/linear/encoding.h"

/* Of #ttg.swizzled_shared and #ttg.amd_rotating_shared: rows, of which the vectors are exchanged. */
tg_status tg_swizzled_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                tg_linear *out, tg_diags *diags);

/* Of #ttg.nvmma_shared: core matrices of 8 rows, with the swizzle of wgmma and of tensor copies. */
tg_status tg_nvmma_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                             tg_linear *out, tg_diags *diags);

#endif
