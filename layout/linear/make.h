/* The layouts that others are made of. */
#ifndef TG_LAYOUT_LINEAR_MAKE_H
#define TG_LAYOUT_LINEAR_MAKE_H

#include "layout/linear/linear.h"

/* `in` of `size` indices; i leads to i * stride in `out`, which has size * stride indices.  A size of 0
 * makes the empty layout.  TG_ERR_INVALID if size or stride is no power of two. */
tg_status tg_linear_strided(int64_t size, int64_t stride, const char *in, const char *out,
                            tg_linear *result, tg_diags *diags);

/* With a stride of 1. */
tg_status tg_linear_identity(int64_t size, const char *in, const char *out, tg_linear *result,
                             tg_diags *diags);

/* All of `in` leads to index 0 of `out`, which has `out_size` indices. */
tg_status tg_linear_zeros(int64_t size, const char *in, const char *out, int64_t out_size,
                          tg_linear *result, tg_diags *diags);

#endif
