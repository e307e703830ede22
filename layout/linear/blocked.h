/* Encodings of tensors in registers that follow no matrix instruction: see tg_encoding_to_linear (encoded.h). */
#ifndef TG_LAYOUT_LINEAR_BLOCKED_H
#define TG_LAYOUT_LINEAR_BLOCKED_H

#include "layout/linear/encoding.h"

/* Of #ttg.blocked: registers, then lanes, then warps, each in the given order. */
tg_status tg_blocked_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                               tg_linear *out, tg_diags *diags);

/* Of an operand of a dot whose result is blocked: each thread has all of dimension k. */
tg_status tg_blocked_operand_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                       tg_linear *out, tg_diags *diags);

#endif
