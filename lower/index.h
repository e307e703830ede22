/* Finds index arrays that count up evenly along one dimension, like `start + arange(n)`, and
 * replaces them by slices, so that the access works on whole rows of memory instead of element by
 * element. */
#ifndef TG_LOWER_INDEX_H
#define TG_LOWER_INDEX_H

#include "lower/impl.h"

/* Replaces positions by slices if all index arrays of the access count up evenly, each along its
 * own dimension; `positions` is the shape that they broadcast to.  Otherwise returns false and
 * changes nothing. */
bool tg_lower_even_positions(tg_lowerer *l, const tg_op *op, const tg_access *access,
                             tg_access_plan *a, const tg_type *positions);

#endif
