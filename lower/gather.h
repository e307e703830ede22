/* Gather and scatter. */
#ifndef TG_LOWER_GATHER_H
#define TG_LOWER_GATHER_H

#include "lower/impl.h"

void tg_lower_op_gather(tg_lowerer *l, const tg_op *op);
void tg_lower_op_scatter(tg_lowerer *l, const tg_op *op);

#endif
