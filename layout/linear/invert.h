/* Inverses: which indices lead where others do. */
#ifndef TG_LAYOUT_LINEAR_INVERT_H
#define TG_LAYOUT_LINEAR_INVERT_H

#include "layout/linear/linear.h"

/* A layout x with outer(x(i)) = inner(i), from the in dimensions of `inner` to those of `outer`.  An in
 * dimension that has the same bases in both stays as it is, where that can be; of all indices of the
 * others that lead to the same place, x takes the least.  The out dimensions are the same in any order,
 * and those of `outer` not smaller.
 *
 * TG_ERR_INVALID if the dimensions do not fit, or if `inner` leads where `outer` does not. */
tg_status tg_linear_invert_and_compose(const tg_linear *inner, const tg_linear *outer,
                                       tg_linear *result, tg_diags *diags);

/* A layout x with linear(x(i)) = i, the least.  TG_ERR_INVALID if the layout is not surjective. */
tg_status tg_linear_pseudoinvert(const tg_linear *linear, tg_linear *result, tg_diags *diags);

/* The inverse.  TG_ERR_INVALID unless the layout is surjective and injective. */
tg_status tg_linear_invert(const tg_linear *linear, tg_linear *result, tg_diags *diags);

#endif
