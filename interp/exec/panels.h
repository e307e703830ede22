/* Operands of products, packed as panels and kept from program to program.  A block of a matrix
 * that no program writes takes part in many products, and its rows lie far apart in the array: to
 * pack it takes up to a fifth of the time of a product, and to read it in place costs as much.  So
 * a machine keeps its panels until the run ends. */
#ifndef TG_INTERP_EXEC_PANELS_H
#define TG_INTERP_EXEC_PANELS_H

#include "interp/blocks/dot.h"
#include "interp/state/machine.h"

/* Adds panels to `shape` for each side of the dot whose panels are worth keeping, packed now or
 * earlier. */
void tg_panels_use(tg_machine *m, const struct tg_inst_dot *dot, const void *lhs, const void *rhs,
                   tg_dot_shape *shape);

/* Called when a run begins: the arrays may have changed. */
void tg_panels_forget(tg_machine *m);

void tg_panels_free(tg_machine *m);

#endif
