/* Layouts with fewer bits. */
#ifndef TG_LAYOUT_LINEAR_RESIZE_H
#define TG_LAYOUT_LINEAR_RESIZE_H

#include "layout/linear/linear.h"

/* The first indices of an in dimension.  TG_ERR_INVALID if it has fewer. */
tg_status tg_linear_resize_in(tg_linear *linear, const char *name, int64_t size, tg_diags *diags);

/* A smaller out dimension: a basis that leads to `size` or beyond leads to 0 there. */
tg_status tg_linear_resize_out(tg_linear *linear, const char *name, int64_t size, tg_diags *diags);

/* An in dimension that has the bases of these bits of it, in this order.  TG_ERR_INVALID for a bit that
 * there is not, or is there twice. */
tg_status tg_linear_select(tg_linear *linear, const char *name, const int *bits, int count,
                           tg_diags *diags);

/* An in dimension without the bases that lead nowhere. */
tg_status tg_linear_remove_zeros(tg_linear *linear, const char *name, tg_diags *diags);

#endif
