/* The state of a plan that moves one sharding to another by collectives.
 *
 * The algorithm is that of Shardy's pass sdy-reshard-to-collectives: slice, permute, all-to-all,
 * gather, in at most two turns.  All axes are cut where one of the two shardings cuts them, so that
 * parts are the same or disjoint. */
#ifndef TG_LAYOUT_MESH_RESHARD_H
#define TG_LAYOUT_MESH_RESHARD_H

#include "layout/mesh/collective.h"

typedef struct tg_reshard {
    const tg_mesh *mesh;
    const tg_shape *shape;
    tg_sharding now;
    /* By dimension, what is left after the parts that both begin with: of `now`, and of the
     * target. */
    tg_parts in[TG_SHAPE_MAX_RANK], out[TG_SHAPE_MAX_RANK];
    /* By dimension, into how many more blocks it may be divided. */
    int64_t capacity[TG_SHAPE_MAX_RANK];
    bool other_devices; /* the target is on a mesh whose devices are in another order */
    tg_collectives *steps;
} tg_reshard;

/* Adds steps from `from` to `to`, whose unreduced parts are the same.  `done` says whether the
 * algorithm reached the target; if not, the steps are of no use.  TG_ERR_NO_MEMORY. */
tg_status tg_reshard_run(const tg_mesh *mesh, const tg_shape *shape, const tg_sharding *from,
                         const tg_sharding *to, bool other_devices, tg_collectives *steps,
                         bool *done, tg_diags *diags);

/* One turn's slice, and permute, if there is one to make. */
tg_status tg_reshard_slice(tg_reshard *r, tg_diags *diags);
tg_status tg_reshard_permute(tg_reshard *r, tg_diags *diags);

/* ---- what these share ---- */

/* Whether a dimension of `now` has the part, beyond what both begin with. */
bool tg_reshard_has(const tg_reshard *r, const tg_part *part);

/* The dimension of the target that has the part, and its place there; or false. */
bool tg_reshard_wants(const tg_reshard *r, const tg_part *part, int *dim, int *at);

/* What fits of a part in a capacity, which is divided by it; what is left of it has size 1 if
 * nothing is.  False if nothing fits: neither divides the other. */
bool tg_reshard_fit(const tg_part *part, int64_t *capacity, tg_part *within, tg_part *left);

/* Cuts parts where the others begin or end. */
void tg_parts_cut(tg_parts *parts, const tg_parts *others);

/* Takes the last parts of `in`, from `first` on; and from the end of `now` too, where several of
 * them may be one part. */
void tg_parts_take_back(tg_parts *now, tg_parts *in, int first);

/* Moves parts of `available` (by dimension; or the first for all) to `in`, as the capacities allow:
 * to the front or the back; to `now` and `sliced` as well, unless that is NULL. */
void tg_reshard_distribute(tg_reshard *r, tg_parts *available, bool by_dim, bool front,
                           tg_parts *sliced);

#endif
