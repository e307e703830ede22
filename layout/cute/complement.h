/* The complement: the layout of the repetitions of a layout, which fills its gaps.
 * (media/docs/cpp/cute/02_layout_algebra.md, "Complement") */
#ifndef TG_LAYOUT_CUTE_COMPLEMENT_H
#define TG_LAYOUT_CUTE_COMPLEMENT_H

#include "layout/cute/layout.h"

/* With its modes but those of stride 0 in the order of strides, sorted, e_i:d_i, and what lies before,
 * c_0 = 1 and c_(i+1) = e_i d_i, the complement has the modes floor(d_i / c_i):c_i and ceil(target / c):c
 * after the last, coalesced.  So it ascends, and no index but 0 is one of the layout; if the layout is
 * injective, sums of an index of each are all different, and where each c_i divides d_i, they are all
 * indices from 0 to the target, rounded up to a multiple of c.
 *
 * TG_ERR_INVALID if a stride is negative, or below c_i, so that modes overlap; or if the target is below
 * 1.  TG_ERR_UNSUPPORTED if the layout has a swizzle or an offset. */
tg_status tg_cute_complement(const tg_cute *cute, int64_t target, tg_cute *out, tg_diags *diags);

#endif
