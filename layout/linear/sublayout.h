/* Parts of layouts: some of the dimensions. */
#ifndef TG_LAYOUT_LINEAR_SUBLAYOUT_H
#define TG_LAYOUT_LINEAR_SUBLAYOUT_H

#include "layout/linear/linear.h"

/* Sets of dimensions: bit i for dimension i. */
typedef uint32_t tg_linear_dim_set;
_Static_assert(TG_LINEAR_MAX_DIMS <= 32, "a set of dimensions has 32 bits");

/* TG_ERR_INVALID for a name that does not exist. */
tg_status tg_linear_dims_named(const tg_linear_dims *dims, const char *const *names, int count,
                               tg_linear_dim_set *set, tg_diags *diags);

/* From some in dimensions to some out dimensions, in the order in which they were. */
void tg_linear_sublayout(const tg_linear *linear, tg_linear_dim_set ins, tg_linear_dim_set outs,
                         tg_linear *result);

/* Whether the in dimensions lead nowhere in the out dimensions. */
bool tg_linear_is_zero(const tg_linear *linear, tg_linear_dim_set ins, tg_linear_dim_set outs);

/* Whether the dimensions of these names, which are in and out, stay as they are, and neither lead
 * to others nor others to them.  TG_ERR_INVALID for a name that is not in, or not out. */
tg_status tg_linear_is_trivial_over(const tg_linear *linear, const char *const *names, int count,
                                    bool *is_trivial, tg_diags *diags);

/* The layout without these dimensions.  TG_ERR_INVALID if it is not trivial over them. */
tg_status tg_linear_quotient(const tg_linear *linear, const char *const *names, int count,
                             tg_linear *result, tg_diags *diags);

/* How many indices of the first in dimension, from 0 on, lead to as many indices of the first
 * out dimension, from 0 on, and nowhere else; and so from each multiple of that number: a power
 * of two. */
int64_t tg_linear_consecutive(const tg_linear *linear);

#endif
