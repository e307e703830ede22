/* Composition: a layout after another one, which gives its elements. */
#ifndef TG_LAYOUT_COMPOSE_H
#define TG_LAYOUT_COMPOSE_H

#include "layout/axe.h"

/* out(x) = a(b(x)): the places that `a` has for the elements whose numbers are the coordinates of `b`, which
 * has one axis.  Copies and the offset of `b` are allowed; `a` may be any layout.
 *
 * TG_ERR_INVALID if a coordinate of `b` is no element of `a`.  TG_ERR_UNSUPPORTED if `b` has a swizzle or more
 * than one axis; or where the composition is no layout or is not found to be one: each iter of `b` must step
 * over whole iters of `a`, or within one, or fill one and go on in the next, and no sums of iters of `b` and its
 * offset may carry from one iter of `a` to the next. */
tg_status tg_axe_compose(const tg_axe *a, const tg_axe *b, tg_axe *out, tg_diags *diags);

/* The axis of all iters and of the offset; TG_AXIS_NONE if there are none.  TG_ERR_UNSUPPORTED if there is more
 * than one. */
tg_status tg_axe_only_axis(const tg_axe *axe, const char *operation, tg_axis *out, tg_diags *diags);

#endif
