/* The canonical form of a layout: one for each map, where the gap condition holds. */
#ifndef TG_LAYOUT_CANONICAL_H
#define TG_LAYOUT_CANONICAL_H

#include "layout/axe.h"

/* Rewrites D, without change to the map: no extent is 1, and no two neighbours can be one iter.  Then
 * D follows from the map alone (arXiv 2601.19092, theorem A.8; with iters of stride 0, which have no
 * axis here, the proof still holds). */
void tg_iters_fuse(tg_iters *d);

/* Rewrites a layout, without change to the map: D as tg_iters_fuse does; in R no extent is 1, strides
 * are positive and ascend within an axis, axes ascend, and no two iters of an axis can be one. */
void tg_axe_canonize(tg_axe *axe);

/* Whether, in R of a canonical layout, each stride exceeds extent times stride of the iter before it
 * on its axis.  Then R and O follow from the map alone (theorems A.12, A.14). */
bool tg_axe_has_gaps(const tg_axe *canonical, tg_axis axis);

#endif
