/* Lowers ops that read and write memory. */
#ifndef TG_LOWER_MEMORY_H
#define TG_LOWER_MEMORY_H

#include "lower/impl.h"

void tg_lower_op_load(tg_lowerer *l, const tg_op *op);
void tg_lower_op_store(tg_lowerer *l, const tg_op *op);
void tg_lower_op_swap(tg_lowerer *l, const tg_op *op);
void tg_lower_op_atomic(tg_lowerer *l, const tg_op *op);

#endif
