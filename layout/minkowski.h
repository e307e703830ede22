/* Sets of copies as Minkowski sums: what must be added to one to have another. */
#ifndef TG_LAYOUT_MINKOWSKI_H
#define TG_LAYOUT_MINKOWSKI_H

#include "layout/copies.h"

/* Puts iters on `axis` into `out`, so that the copies of `whole` there are those of `part` plus `scale`, >= 1,
 * times those of the iters.  Both are canonical (layout/canonical.h).  TG_ERR_UNSUPPORTED if there is no such
 * set, or no iters that are it were found: where both keep the gap condition, they are found if they exist;
 * or if the sets have more than TG_AXE_MOST_POINTS pairs.  TG_ERR_NO_MEMORY. */
tg_status tg_copies_quotient(const tg_axe *whole, const tg_axe *part, tg_axis axis, int64_t scale,
                             tg_iters *out, tg_diags *diags);

/* Puts iters with positive strides on `axis` into `out` whose sums are a set that begins with 0.  False if none
 * were found: not all sets have any. */
bool tg_copies_generate(const tg_copies *set, tg_axis axis, tg_iters *out);

#endif
