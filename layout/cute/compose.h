/* Composition: R(c) = A(B(c)).  (media/docs/cpp/cute/02_layout_algebra.md, "Composition") */
#ifndef TG_LAYOUT_CUTE_COMPOSE_H
#define TG_LAYOUT_CUTE_COMPOSE_H

#include "layout/cute/tiler.h"

/* R has the shape of B, in which a mode of B may have become a tuple: so the coordinates of B are those
 * of R.  A is taken beyond its size where B goes there.
 *
 * With P the product of the extents of the first modes of A, coalesced, for any number of them but not
 * all, each mode s:d of B must keep
 *   stride divisibility  P divides |d|, or |d| divides P, if the mode goes to P or beyond: (s - 1)|d| >= P
 *   shape divisibility   P / |d| divides s, if |d| divides P
 * and the modes of B, taken together, must not carry from one mode of A into another.  Else
 * TG_ERR_INVALID: without the first two CuTe has no result, without the last it has a wrong one.
 *
 * Swizzles: one of A stays.  One of B must pass through A: A(Sw(x)) = Sw'(A(x)), which is tried for all
 * elements; TG_ERR_UNSUPPORTED if it does not, or if they are more than TG_AXE_MOST_POINTS. */
tg_status tg_cute_compose(const tg_cute *a, const tg_cute *b, tg_cute *out, tg_diags *diags);

/* Mode by mode, where the tiler is a tuple; modes of A beyond it are dropped. */
tg_status tg_cute_compose_by(const tg_cute *a, const tg_tiler *tiler, tg_cute *out,
                             tg_diags *diags);

#endif
