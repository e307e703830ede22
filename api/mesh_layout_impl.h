/* Private to the implementation of meshes in the public interface. */
#ifndef TG_API_MESH_LAYOUT_IMPL_H
#define TG_API_MESH_LAYOUT_IMPL_H

#include "layout/mesh/placed.h"
#include "tilegrind/mesh.h"

struct tg_mesh_layout {
    tg_placed placed;
    tg_shape shape; /* of the whole array */
    tg_spread spread;
};

#endif
