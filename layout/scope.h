/* Whether thread axes, taken together, say once who holds an element. */
#ifndef TG_LAYOUT_SCOPE_H
#define TG_LAYOUT_SCOPE_H

#include "base/diag.h"
#include "layout/axis.h"

/* A set of axes: bit a for axis a. */
typedef uint32_t tg_axis_set;
_Static_assert(TG_AXIS_COUNT <= 32, "a set of axes has 32 bits");

#define TG_AXIS_BIT(axis) (UINT32_C(1) << (axis))

/* TG_ERR_INVALID with the reason, at byte `offset`, if two axes count the same (lane and tx), or if one
 * between them is missing: of lane and wgid, it is unknown which warp of the warpgroup is meant. */
tg_status tg_scope_check(tg_axis_set axes, int64_t offset, tg_diags *diags);

/* The axes that are missing between those of a set, none of which count the same. */
tg_axis_set tg_scope_missing(tg_axis_set axes);

#endif
