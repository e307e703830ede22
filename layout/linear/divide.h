/* Division: what a product has beside a factor. */
#ifndef TG_LAYOUT_LINEAR_DIVIDE_H
#define TG_LAYOUT_LINEAR_DIVIDE_H

#include "layout/linear/linear.h"

/* The q with divisor * q = dividend, with all dimensions of the dividend in its order.  TG_ERR_INVALID
 * with the first basis that does not agree if there is none.  `result` may be the dividend. */
tg_status tg_linear_divide_left(const tg_linear *dividend, const tg_linear *divisor,
                                tg_linear *result, tg_diags *diags);

/* The q with q * divisor = dividend. */
tg_status tg_linear_divide_right(const tg_linear *dividend, const tg_linear *divisor,
                                 tg_linear *result, tg_diags *diags);

#endif
