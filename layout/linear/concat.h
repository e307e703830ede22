/* Layouts put together without raising any bits. */
#ifndef TG_LAYOUT_LINEAR_CONCAT_H
#define TG_LAYOUT_LINEAR_CONCAT_H

#include "layout/linear/linear.h"

/* The in dimensions of both, which have the same out dimensions: (i, j) -> first(i) ^ second(j).
 * TG_ERR_INVALID if these differ, or if an in dimension is in both. */
tg_status tg_linear_concat_ins(const tg_linear *first, const tg_linear *second, tg_linear *result,
                               tg_diags *diags);

/* The out dimensions of both, which have the same in dimensions: i -> (first(i), second(i)). */
tg_status tg_linear_concat_outs(const tg_linear *first, const tg_linear *second, tg_linear *result,
                                tg_diags *diags);

#endif
