/* JAX's NamedSharding as text: a mesh, then a PartitionSpec.
 *
 *     x=4,y=2 P('x', None, ('y', 'z'), unreduced={'w'}, unreduced_kind=sum)
 *
 * Each entry is of one dimension: no axis (None or ()), an axis, or a tuple of axes, the slowest
 * first; dimensions beyond the last entry are not divided.  reduced={..} is read, but not kept: it
 * is of gradients, and says nothing of where an array is.  The mesh may be in Shardy's form, which
 * has a table of device ids. */
#ifndef TG_LAYOUT_MESH_NAMED_SHARDING_H
#define TG_LAYOUT_MESH_NAMED_SHARDING_H

#include "layout/mesh/sharding.h"

/* Reads mesh and sharding; the rank is the number of entries (see tg_sharding_extend), and the
 * sharding is checked.  TG_ERR_SYNTAX, or TG_ERR_INVALID with the reason; also for UNCONSTRAINED,
 * which does not say where an array is. */
tg_status tg_named_sharding_read(const char *text, size_t length, tg_mesh *mesh, tg_sharding *out,
                                 tg_diags *diags);

/* Appends P(..).  TG_ERR_UNSUPPORTED for what it has no form for: a sub-axis, an open dimension,
 * axes that must be replicated, a mesh of one device of a certain id. */
tg_status tg_named_sharding_print(const tg_mesh *mesh, const tg_sharding *sharding, tg_text *out,
                                  tg_diags *diags);

#endif
