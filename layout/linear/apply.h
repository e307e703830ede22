/* Where indices lead, and layouts one after the other. */
#ifndef TG_LAYOUT_LINEAR_APPLY_H
#define TG_LAYOUT_LINEAR_APPLY_H

#include "layout/linear/linear.h"

/* Bits of all in dimensions -> bits of all out dimensions; bits above the last one lead nowhere. */
uint64_t tg_linear_apply(const tg_linear *linear, uint64_t in);

/* in.list[i] of the in dimensions -> out[o] of the out dimensions. */
void tg_linear_apply_dims(const tg_linear *linear, const int64_t *in, int64_t *out);

/* `outer` after `inner`: the out dimensions of `inner` are, in any order, the in dimensions of `outer`,
 * and not larger.  TG_ERR_INVALID if they are not.  `result` may be one of them. */
tg_status tg_linear_compose(const tg_linear *inner, const tg_linear *outer, tg_linear *result,
                            tg_diags *diags);

#endif
