/* OneFlow's SBP signatures as text: a mesh, then what each of its axes does.
 *
 *     x=2,y=4,z=2 (S(0), B, P(sum))
 *
 * S(d) splits dimension d into blocks; axes that split the same dimension do so in turn, the first
 * into the largest blocks.  B holds copies.  P holds arrays whose reduction is the array: sum (also
 * P alone), max or min. */
#ifndef TG_LAYOUT_MESH_SBP_H
#define TG_LAYOUT_MESH_SBP_H

#include "layout/mesh/sharding.h"

/* Reads a mesh and the sharding of an array of rank `rank`; or, if that is -1, of the least rank
 * that has all dimensions which are split.  TG_ERR_SYNTAX, or TG_ERR_INVALID for another number of
 * axes than the mesh has, or a dimension that does not exist; TG_ERR_UNSUPPORTED for two different
 * reductions, since their order matters and the signature does not say it. */
tg_status tg_sbp_read(const char *text, size_t length, int rank, tg_mesh *mesh, tg_sharding *out,
                      tg_diags *diags);

/* Appends (S(0), B).  TG_ERR_UNSUPPORTED for a sharding that is not a signature: a sub-axis, or a
 * dimension whose axes are not in the order of the mesh.  Wishes of open dimensions and replicated
 * axes are not written. */
tg_status tg_sbp_print(const tg_mesh *mesh, const tg_sharding *sharding, tg_text *out,
                       tg_diags *diags);

#endif
