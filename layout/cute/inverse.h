/* Inverses of layouts.  (include/cute/layout.hpp, "Right-Inverse and Left-Inverse") */
#ifndef TG_LAYOUT_CUTE_INVERSE_H
#define TG_LAYOUT_CUTE_INVERSE_H

#include "layout/cute/layout.h"

/* R with L(R(i)) = i for all i of R, and R(i) an element of L: from stride 1 on, each mode begins where the
 * last ended; of two of the same stride the first counts.  Without negative strides, and if L is injective
 * but for modes of stride 0, no layout is longer: L has no element at the size of R.  1:0 if no mode has
 * stride 1.
 *
 * Of Sw o L, the right inverse of L after the swizzle, which must pass through it (see tg_cute_compose);
 * TG_ERR_UNSUPPORTED if it does not, or if there is an offset. */
tg_status tg_cute_right_inverse(const tg_cute *cute, tg_cute *out, tg_diags *diags);

/* R with L(R(y)) = y for all y of L, taken beyond the size of R if need be: so R(L(i)) = i if L is
 * injective.  What is no index of L goes where an index below it goes.
 *
 * Strides but 0, ascending, must divide each other, and each must be at least extent times stride of that
 * before: else TG_ERR_INVALID.  So it is if strides of both signs occur.  Swizzles as above. */
tg_status tg_cute_left_inverse(const tg_cute *cute, tg_cute *out, tg_diags *diags);

#endif
