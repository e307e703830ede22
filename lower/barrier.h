/* Barriers between threads. */
#ifndef TG_LOWER_BARRIER_H
#define TG_LOWER_BARRIER_H

#include "lower/impl.h"

void tg_lower_op_collective(tg_lowerer *l, const tg_op *op);
void tg_lower_op_barrier(tg_lowerer *l, const tg_op *op);

#endif
