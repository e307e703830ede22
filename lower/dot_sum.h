/* Fuses the sum of a matrix and a dot into the dot. */
#ifndef TG_LOWER_DOT_SUM_H
#define TG_LOWER_DOT_SUM_H

#include "lower/impl.h"

/* If the group about to be emitted contains only `sum`, the sum of a matrix and the result of the
 * dot right before it, and nothing else uses that result, changes the dot to add the matrix
 * itself.  Returns whether it did. */
bool tg_lower_dot_sum(tg_lowerer *l, const tg_node *sum, const tg_group *group);

#endif
