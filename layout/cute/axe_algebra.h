/* CuTe's algebra on Axe layouts: on one axis, where an operation is of integers.  Elements are
 * counted row-major here, so a result has the modes of CuTe's in reverse order. */
#ifndef TG_LAYOUT_CUTE_AXE_ALGEBRA_H
#define TG_LAYOUT_CUTE_AXE_ALGEBRA_H

#include "layout/axe.h"

/* The repetitions that fill the gaps of a layout on an axis, iters of copies included, up to `size` coordinates:
 * see tg_cute_complement.  The last iter has the smallest stride.  Coordinates count from the least one.
 * TG_ERR_INVALID if digits overlap, or `size` is below 1; TG_ERR_UNSUPPORTED if there is a swizzle on the axis. */
tg_status tg_axe_complement(const tg_axe *axe, tg_axis axis, int64_t size, tg_axe *out,
                            tg_diags *diags);

/* a after (rest, b), where rest is the complement of b up to the size of a: each tile b of the elements of a, as
 * the inner digits, and which tile as the outer ones.  b has no copies, no offset, one axis.  Refuses what
 * composition and complement refuse. */
tg_status tg_axe_divide(const tg_axe *a, const tg_axe *b, tg_axe *out, tg_diags *diags);

/* (rest after b, a), where rest is the complement of a on the axis of b, up to the size of a there times the
 * coordinates that b goes over: a is the inner digits, and repeated over b as the outer ones, in gaps of a.
 * (layout/tile.h steps over the span of a instead.)  b has no copies, no offset, one axis; of a, other axes
 * stay.  Refuses what composition and complement refuse. */
tg_status tg_axe_product(const tg_axe *a, const tg_axe *b, tg_axe *out, tg_diags *diags);

/* out(v) = x, for each coordinate v from 0 on, of one axis, on axis m: see tg_cute_right_inverse, which has
 * axe(out(v)) = v for as many v as there is an iter for, and tg_cute_left_inverse, which has
 * out(axe(x)) = x.  TG_ERR_UNSUPPORTED, "not defined because ..", if there is more than one axis, copies or an
 * offset; else what those refuse. */
tg_status tg_axe_right_inverse(const tg_axe *axe, tg_axe *out, tg_diags *diags);
tg_status tg_axe_left_inverse(const tg_axe *axe, tg_axe *out, tg_diags *diags);

#endif
