/* Rules of elements at indices. */
#ifndef TG_BOUNDS_INDEXED_H
#define TG_BOUNDS_INDEXED_H

#include "bounds/impl.h"

/* Each computes the companions of the current op's results; what one result of floats is in exact
 * arithmetic is there already, if nothing else is said. */
void tg_bound_rule_gather(tg_bound *b); /* both companions */
void tg_bound_rule_scatter(tg_bound *b);

#endif
