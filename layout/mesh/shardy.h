/* Shardy's shardings as text.
 *
 *     sdy.mesh @mesh = <["x"=2, "y"=8]>
 *     #sdy.sharding<@mesh, [{"x"}, {"y":(2)2, ?}p1], replicated={"y":(1)2}, unreduced=max{"z"}>
 *
 * Each list in braces is of one dimension: parts of axes, the slowest first, then "?" if it is
 * open, and its priority.  The mesh is one of those before, or written in place: mesh<["x"=2,
 * "y"=8]>. */
#ifndef TG_LAYOUT_MESH_SHARDY_H
#define TG_LAYOUT_MESH_SHARDY_H

#include "layout/mesh/sharding.h"

/* Reads a sharding, checked by tg_sharding_check; "#sdy.sharding" may be missing.  TG_ERR_SYNTAX,
 * or TG_ERR_INVALID with the reason. */
tg_status tg_shardy_read(const char *text, size_t length, tg_mesh *mesh, tg_sharding *out,
                         tg_diags *diags);

/* Appends #sdy.sharding<mesh<["x"=2, "y"=8]>, [{"x"}, ..], ..>; or only what follows the mesh. */
void tg_shardy_print(const tg_mesh *mesh, const tg_sharding *sharding, tg_text *out);
void tg_shardy_print_axes(const tg_mesh *mesh, const tg_sharding *sharding, tg_text *out);

/* The shape that Shardy pads an array to, so that blocks of a dimension are of one size: each
 * dimension is the next multiple of the number of its blocks.  A layout has no padding: that of the
 * padded shape also places elements that the array does not have.  TG_ERR_INVALID for another rank,
 * or a dimension beyond 63 bits. */
tg_status tg_shardy_pad(const tg_sharding *sharding, const tg_shape *shape, tg_shape *out,
                        tg_diags *diags);

/* TG_OK if the shape needs no padding; else TG_ERR_UNSUPPORTED, which says what it would be padded
 * to. */
tg_status tg_shardy_check_padding(const tg_sharding *sharding, const tg_shape *shape,
                                  tg_diags *diags);

#endif
