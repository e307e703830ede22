/* Lowers loops to jumps.  Their carries have their own slots. */
#ifndef TG_LOWER_LOOPS_H
#define TG_LOWER_LOOPS_H

#include "lower/impl.h"

void tg_lower_op_for(tg_lowerer *l, const tg_op *op);
void tg_lower_op_while(tg_lowerer *l, const tg_op *op);

#endif
