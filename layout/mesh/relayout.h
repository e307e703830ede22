/* Plans: the collectives that move an array from one sharding to another. */
#ifndef TG_LAYOUT_MESH_RELAYOUT_H
#define TG_LAYOUT_MESH_RELAYOUT_H

#include "layout/mesh/collective.h"

/* Makes a plan.  The steps are those of Shardy's pass sdy-reshard-to-collectives wherever that
 * reaches the target and each step is what it says; else gather, permute and slice, which always
 * do.  Before them, unreduced parts that do not stay so are reduced: slices by other parts come
 * first, slices by such parts become reduce-scatters, and an all-reduce takes what is left.  After
 * them, copies become terms.
 *
 * from_mesh, to_mesh  of the same axes; devices may be in another order.  An array that each device
 * has
 *                       all of is so on any mesh of as many devices or fewer
 * pads  whether a dimension need not be a multiple of the number of its blocks: it is padded to
 * that.
 *         If not, no step has padding
 *
 * The caller frees `out` by tg_collectives_free, also after an error.
 *
 * TG_ERR_INVALID with the reason: shardings that are not of the mesh or the shape; another
 * reduction of parts that stay unreduced, or new ones with a reduction that is no sum.
 * TG_ERR_UNSUPPORTED for meshes with other axes, and for a mesh of one certain device.
 * TG_ERR_NO_MEMORY. */
tg_status tg_relayout_plan(const tg_mesh *from_mesh, const tg_sharding *from,
                           const tg_mesh *to_mesh, const tg_sharding *to, const tg_shape *shape,
                           bool pads, tg_collectives *out, tg_diags *diags);

#endif
