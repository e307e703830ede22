/* Grouping: D as consecutive blocks of iters, one for each dimension of a shape. */
#ifndef TG_LAYOUT_GROUP_H
#define TG_LAYOUT_GROUP_H

#include "layout/axe.h"
#include "layout/shape.h"

/* Dimensions of an operation: as many as two shapes that alternate have. */
enum { TG_GROUP_MAX_RANK = 2 * TG_SHAPE_MAX_RANK };

typedef struct tg_extents {
    int rank;
    int64_t extent[TG_GROUP_MAX_RANK];
} tg_extents;

/* The extents of a shape. */
tg_extents tg_extents_of(const tg_shape *shape);

/* Block i is list[first[i]] .. list[first[i + 1] - 1]; it is empty if dimension i has extent 1. */
typedef struct tg_groups {
    tg_iters
        d; /* the same map, with the fewest iters that have these blocks; extents are 2 or more */
    int rank, first[TG_GROUP_MAX_RANK + 1];
} tg_groups;

/* Whether the layout has as many elements as the shape: then a coordinate of the shape is an element.
 * TG_ERR_INVALID if it has not, or if the shape is none. */
tg_status tg_axe_admit(const tg_axe *axe, const tg_shape *shape, tg_diags *diags);

/* Groups D.  TG_ERR_INVALID if the number of elements differs, or the extents are none.
 * TG_ERR_UNSUPPORTED if there are no such blocks: if a dimension ends within an iter of the canonical D,
 * and neither divides the other.  It does not succeed with another D of the same map, since the canonical
 * one is unique (layout/canonical.h). */
tg_status tg_iters_group(const tg_iters *d, const tg_extents *extents, tg_groups *out,
                         tg_diags *diags);
tg_status tg_axe_group(const tg_axe *axe, const tg_shape *shape, tg_groups *out, tg_diags *diags);

/* Appends a block to iters that have room for it. */
void tg_groups_put(const tg_groups *groups, int block, tg_iters *out);

/* Of at most this many shapes at once. */
enum { TG_GROUP_MAX_SHAPES = 8 };

/* Groups D by several shapes at once: *d is the same map, with the fewest iters of which each shape has
 * blocks; first[s] are those of shape s.  TG_ERR_UNSUPPORTED if one of them does not group D, or if the
 * ends of dimensions of two shapes do not divide each other. */
typedef struct tg_refinement {
    tg_iters d;
    int count; /* of shapes */
    int first[TG_GROUP_MAX_SHAPES][TG_SHAPE_MAX_RANK + 1];
} tg_refinement;

tg_status tg_axe_group_many(const tg_axe *axe, const tg_shape *shapes, int count,
                            tg_refinement *out, tg_diags *diags);

#endif
