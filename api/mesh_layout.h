/* Where arrays are on the devices of a mesh, as the public interface takes it. */
#ifndef TG_API_MESH_LAYOUT_H
#define TG_API_MESH_LAYOUT_H

#include "layout/mesh/placed.h"
#include "tilegrind/mesh.h"

/* As tg_placed_read, also of JSON. */
tg_status tg_api_placed_read(const char *text, const tg_mesh *mesh, int rank, tg_placed *out,
                             tg_diags *diags);

/* Positions that a spread has: as many as ids, or up to the greatest that it names. */
tg_status tg_api_spread_devices(const tg_spread *spread, int *out, tg_diags *diags);

/* The sharding that a layout is, with its mesh.  If it has none, that of `other`, or one of one
 * axis, "device", for both; `other` may be NULL.  TG_ERR_UNSUPPORTED, with the reason, if it is
 * none. */
tg_status tg_api_mesh_sharding(const tg_mesh_layout *layout, const tg_mesh_layout *other,
                               tg_mesh *mesh, tg_sharding *out, tg_diags *diags);

#endif
