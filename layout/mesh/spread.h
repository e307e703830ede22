/* Where an array is on the devices of a mesh: a layout, and what a layout cannot say.
 *
 *     (2,8):(2@gpuid,1@m) + [2:1@gpuid] | sum over [2:1@gpuid] | devices [3,1,2,0]
 *
 * The layout counts devices by position in the mesh.  Of its copies, those along the iters of
 * "over" are no copies but terms: the array is their sum (or max, or min).  The table says which
 * device is at each position; without it, its number. */
#ifndef TG_LAYOUT_MESH_SPREAD_H
#define TG_LAYOUT_MESH_SPREAD_H

#include "layout/mesh/sharding.h"

typedef struct tg_spread {
    tg_axe layout;
    tg_iters terms; /* on gpuid, each a part of an iter of the layout's R; empty: none */
    tg_reduction reduction;
    int id_count;                 /* 0: no table */
    int ids[TG_MESH_MAX_DEVICES]; /* by position; distinct, at least 0 */
} tg_spread;

/* Whether it keeps the rules above.  TG_ERR_INVALID with the reason: an invalid layout; terms along
 * devices that hold no copies, or twice along the same; an id twice; a device that is not in the
 * table. */
tg_status tg_spread_check(const tg_spread *spread, tg_diags *diags);

/* TG_ERR_SYNTAX or TG_ERR_INVALID, with the offset in `text`. */
tg_status tg_spread_read(const char *text, size_t length, tg_spread *out, tg_diags *diags);

/* Appends the text; and {"layout":.., "terms":{"reduction":"sum","over":[[2,1,"gpuid"]]},
 * "devices":[3,1,2,0]}, where terms and devices may be missing. */
void tg_spread_print(const tg_spread *spread, tg_text *out);
void tg_spread_print_json(const tg_spread *spread, tg_text *out);

/* Of a sharding: tg_sharding_to_axe, with the unreduced parts as terms and the ids of the mesh. */
tg_status tg_spread_from_sharding(const tg_mesh *mesh, const tg_sharding *sharding,
                                  const tg_shape *shape, tg_spread *out, tg_diags *diags);

/* The sharding: tg_sharding_from_axe, with the unreduced parts.  TG_ERR_INVALID too if the devices
 * of the mesh are in another order. */
tg_status tg_spread_to_sharding(const tg_spread *spread, const tg_mesh *mesh, const tg_shape *shape,
                                tg_sharding *out, tg_diags *diags);

#endif
