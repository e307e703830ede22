/* Encodings of tensors in registers of NVIDIA's matrix instructions: see tg_encoding_to_linear (encoded.h). */
#ifndef TG_LAYOUT_LINEAR_MMA_H
#define TG_LAYOUT_LINEAR_MMA_H

#include "layout/linear/encoding.h"

/* Of #ttg.nvidia_mma, versions 2 (mma.sync) and 3 (wgmma): the result. */
tg_status tg_mma_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                           tg_linear *out, tg_diags *diags);

/* Of an operand, of which a thread has kWidth elements in a row along k.  Version 3 has operand 0 only. */
tg_status tg_mma_operand_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                   tg_linear *out, tg_diags *diags);

/* Who holds the scale factors of an operand of mma.sync with block scaling: (m or n, k / group) to
 * registers, lanes, warps; warps_per_cta are those of the result. */
tg_status tg_mma_scales_to_linear(const tg_shape *shape, int op_index,
                                  const tg_shape *warps_per_cta, tg_linear *out, tg_diags *diags);

#endif
