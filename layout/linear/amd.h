/* Encodings of tensors in registers of AMD's matrix instructions: see tg_encoding_to_linear (encoded.h). */
#ifndef TG_LAYOUT_LINEAR_AMD_H
#define TG_LAYOUT_LINEAR_AMD_H

#include "layout/linear/encoding.h"

/* Of #ttg.amd_mfma: the result, of waves of 64 lanes. */
tg_status tg_mfma_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                            tg_linear *out, tg_diags *diags);

/* Of an operand of it. */
tg_status tg_mfma_operand_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                    tg_linear *out, tg_diags *diags);

/* Of #ttg.amd_wmma, versions 1 to 3: the result, of waves of 32 lanes. */
tg_status tg_wmma_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                            tg_linear *out, tg_diags *diags);

/* Of an operand of it. */
tg_status tg_wmma_operand_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                    tg_linear *out, tg_diags *diags);

#endif
