/* Encodings of tensors in tensor memory: see tg_encoding_to_linear (encoded.h). */
#ifndef TG_LAYOUT_LINEAR_TENSOR_MEMORY_H
#define TG_LAYOUT_LINEAR_TENSOR_MEMORY_H

#include "layout/linear/encoding.h"

/* Of #ttng.tensor_memory_encoding: row, col, block -> dim0, dim1.  A row basis of 32 or 64 that leads
 * nowhere is a copy; any other basis that leads nowhere is memory that holds nothing. */
tg_status tg_tensor_memory_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                     tg_linear *out, tg_diags *diags);

/* Of #ttng.tensor_memory_scales_encoding: scale factors, of which the 4 warps have copies. */
tg_status tg_tensor_memory_scales_to_linear(const tg_encoding *encoding, int node,
                                            const tg_shape *shape, tg_linear *out, tg_diags *diags);

#endif
