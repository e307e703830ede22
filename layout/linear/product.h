/* The product of layouts: one beside the other. */
#ifndef TG_LAYOUT_LINEAR_PRODUCT_H
#define TG_LAYOUT_LINEAR_PRODUCT_H

#include "layout/linear/linear.h"

/* inner * outer.  Of each dimension, in or out, the low bits are those of `inner`, and the high bits
 * those of `outer`; each leads where it did.  The dimensions keep the order of both, and those of
 * `inner` come first if they may.  TG_ERR_INVALID if two dimensions stand one way in the one and the
 * other way in the other; TG_ERR_UNSUPPORTED if there are more bits than fit.  `result` may be one of
 * them. */
tg_status tg_linear_product(const tg_linear *inner, const tg_linear *outer, tg_linear *result,
                            tg_diags *diags);

/* linear * tg_linear_identity(size, in, out), in place. */
tg_status tg_linear_times_identity(tg_linear *linear, int64_t size, const char *in, const char *out,
                                   tg_diags *diags);

#endif
