/* Encodings as linear layouts. */
#ifndef TG_LAYOUT_LINEAR_ENCODED_H
#define TG_LAYOUT_LINEAR_ENCODED_H

#include "layout/linear/encoding.h"

/* The linear layout of a tensor of that shape: register, lane, warp, block -> dim0, dim1, ..; of shared
 * memory offset, block; of tensor memory row, column, block.  The extents of the shape are powers of
 * two.  TG_ERR_INVALID with the reason if the numbers do not make an encoding of that rank. */
tg_status tg_encoding_to_linear(const tg_encoding *encoding, const tg_shape *shape, tg_linear *out,
                                tg_diags *diags);

#endif
