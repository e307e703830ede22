/* Index arrays that count up evenly along one dimension, like `start + arange(n)`, are slices: this
 * finds them, so that the access they belong to works on whole rows of memory instead of element by
 * element. */
#ifndef TG_LOWER_INDEX_H
#define TG_LOWER_INDEX_H

#include "lower/impl.h"

/* Replaces positions by slices where all index arrays of the access count up evenly, each along a
 * dimension of its own; `positions` is the shape they broadcast to.  False, and nothing done, where
 * they do not. */
bool tg_lower_even_positions(tg_lowerer *l, const tg_op *op, const tg_access *access,
                             tg_access_plan *a, const tg_type *positions);

#endif
