/* Shardings: which part of an array each device of a mesh holds.
 *
 * Each dimension lists parts of mesh axes, the slowest first: their index says which block of the
 * dimension a device holds.  Of parts in no dimension, the devices hold copies, or, of unreduced
 * parts, arrays whose reduction is the array.  JAX's NamedSharding (named_sharding.h), Shardy's
 * sharding (shardy.h) and OneFlow's SBP (sbp.h) are forms of this. */
#ifndef TG_LAYOUT_MESH_SHARDING_H
#define TG_LAYOUT_MESH_SHARDING_H

#include "layout/axe.h"
#include "layout/mesh/part.h"
#include "layout/mesh/reduction.h"
#include "layout/shape.h"

typedef struct tg_sharding {
    int rank;
    tg_parts dims[TG_SHAPE_MAX_RANK];
    bool open[TG_SHAPE_MAX_RANK];    /* the dimension may be divided further: a wish */
    int priority[TG_SHAPE_MAX_RANK]; /* of that wish, 0 the first; -1: none */
    tg_parts replicated;             /* of which devices must hold copies; others may change */
    tg_parts unreduced;
    tg_reduction reduction; /* of the unreduced parts */
} tg_sharding;

/* All devices hold all of an array. */
void tg_sharding_begin(tg_sharding *sharding, int rank);
void tg_sharding_copy(const tg_sharding *from, tg_sharding *to);

/* Adds dimensions that are not divided.  TG_ERR_INVALID if the sharding has more than `rank`. */
tg_status tg_sharding_extend(tg_sharding *sharding, int rank, tg_diags *diags);

/* Whether the sharding is one of the mesh.  TG_ERR_INVALID with the reason: a part twice, parts
 * that overlap, neighbours that are one part, replicated or unreduced parts that are not in the
 * order of the mesh, a priority below 0 or of a dimension that is neither divided nor open.
 * TG_ERR_UNSUPPORTED for parts that no cut of their axis has together: it is not the same number of
 * devices that hold each block.  (Shardy's rules, but for the last.) */
tg_status tg_sharding_check(const tg_mesh *mesh, const tg_sharding *sharding, tg_diags *diags);

/* The parts of all dimensions, and of the unreduced ones if `unreduced`, in one list. */
void tg_sharding_used(const tg_sharding *sharding, bool unreduced, tg_parts *out);

/* Whether each device holds the whole array, and nothing is unreduced. */
bool tg_sharding_is_replicated(const tg_sharding *sharding);

/* Whether the dimensions of two shardings have the same parts, and the unreduced parts and their
 * reduction are the same; wishes do not count. */
bool tg_sharding_same(const tg_sharding *a, const tg_sharding *b);

/* Whether the array has a size and the rank of the sharding.  TG_ERR_INVALID. */
tg_status tg_sharding_check_shape(const tg_sharding *sharding, const tg_shape *shape,
                                  tg_diags *diags);

/* The shape of what a device holds.  TG_ERR_INVALID if the rank is another, or a dimension is no
 * multiple of the number of its blocks. */
tg_status tg_sharding_shard_shape(const tg_sharding *sharding, const tg_shape *shape, tg_shape *out,
                                  tg_diags *diags);

/* The first coordinate of what the device at a position holds; `shard` is its shape. */
void tg_sharding_first(const tg_mesh *mesh, const tg_sharding *sharding, const tg_shape *shard,
                       int position, tg_shape *out);

/* How many devices before it, by position, hold the same block: JAX's replica id. */
int tg_sharding_replica(const tg_mesh *mesh, const tg_sharding *sharding, int position);

/* The layout, in canonical form: in each dimension the iters of its parts on axis gpuid, then what
 * is left of it on m, row-major in the memory of each device; all other parts of the mesh are
 * copies, also the unreduced ones.  Errors of tg_sharding_check and tg_sharding_shard_shape. */
tg_status tg_sharding_to_axe(const tg_mesh *mesh, const tg_sharding *sharding,
                             const tg_shape *shape, tg_axe *out, tg_diags *diags);

/* The sharding, without wishes, whose layout is the map of `axe`.  TG_ERR_INVALID if the numbers of
 * elements differ; TG_ERR_UNSUPPORTED with the reason if no sharding is that map. */
tg_status tg_sharding_from_axe(const tg_axe *axe, const tg_mesh *mesh, const tg_shape *shape,
                               tg_sharding *out, tg_diags *diags);

/* Adds the parts of the mesh that an iter on gpuid runs through, the slowest first.
 * TG_ERR_UNSUPPORTED with the reason if it is not made of such. */
tg_status tg_parts_of_iter(const tg_mesh *mesh, const tg_iter *iter, tg_parts *out,
                           tg_diags *diags);

#endif
