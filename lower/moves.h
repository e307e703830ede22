/* Lowers ops that copy elements to other positions. */
#ifndef TG_LOWER_MOVES_H
#define TG_LOWER_MOVES_H

#include "lower/impl.h"

void tg_lower_op_concatenate(tg_lowerer *l, const tg_op *op);
void tg_lower_op_tile(tg_lowerer *l, const tg_op *op);
void tg_lower_op_pad(tg_lowerer *l, const tg_op *op);
void tg_lower_op_dynamic(tg_lowerer *l, const tg_op *op);
void tg_lower_op_sort(tg_lowerer *l, const tg_op *op);

#endif
