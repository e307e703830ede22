/* Sums that a dot adds itself. */
#ifndef TG_LOWER_DOT_SUM_H
#define TG_LOWER_DOT_SUM_H

#include "lower/impl.h"

/* True if the group about to be emitted is nothing but `sum`, of a matrix and the dot right before
 * it, whose result nobody else wants: then the dot adds the matrix itself. */
bool tg_lower_dot_sum(tg_lowerer *l, const tg_node *sum, const tg_group *group);

#endif
