/* By brute force: whether places of elements are those of some D, whatever its extents. */
#ifndef TG_TESTS_LAYOUTS_REGULAR_H
#define TG_TESTS_LAYOUTS_REGULAR_H

#include "layout/shape.h"
#include "layouts/model.h"

/* Where D has each element, less where it has element 0: of a layout's model without a swizzle. */
void displacements_of(const tg_axe *axe, place *out);

/* Whether iters of whatever extents take element i by[i], with by[0] the origin. */
bool is_regular(const place *by, int64_t count);

/* Whether the same can be said with blocks of iters, one for each dimension of a shape of `count`. */
bool is_regular_in(const place *by, int64_t count, const int64_t *extents, int rank);

/* A shape of some size, with dimensions of 1 now and then: often with the extents of iters, so that it
 * groups them. */
void shape_for(chance *c, const tg_iters *d, int64_t size, int most_rank, tg_shape *out);

#endif
