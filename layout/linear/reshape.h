/* Other dimensions for the same bits. */
#ifndef TG_LAYOUT_LINEAR_RESHAPE_H
#define TG_LAYOUT_LINEAR_RESHAPE_H

#include "layout/linear/linear.h"

/* The same bits in the same order, in other dimensions.  TG_ERR_INVALID if these have more or
 * fewer. */
tg_status tg_linear_reshape_ins(tg_linear *linear, const tg_linear_dims *dims, tg_diags *diags);
tg_status tg_linear_reshape_outs(tg_linear *linear, const tg_linear_dims *dims, tg_diags *diags);

/* All in the first dimension.  Without dimensions, there is nothing to do. */
void tg_linear_flatten_ins(tg_linear *linear);
void tg_linear_flatten_outs(tg_linear *linear);

/* The same dimensions in another order; their bits go with them.  TG_ERR_INVALID if the names are
 * not those that there are, each once. */
tg_status tg_linear_transpose_ins(tg_linear *linear, const char *const *names, int count,
                                  tg_diags *diags);
tg_status tg_linear_transpose_outs(tg_linear *linear, const char *const *names, int count,
                                   tg_diags *diags);

#endif
