/* Lowers ops without operands: constant, iota and undefined. */
#ifndef TG_LOWER_LITERALS_H
#define TG_LOWER_LITERALS_H

#include "lower/impl.h"

void tg_lower_op_constant(tg_lowerer *l, const tg_op *op);
void tg_lower_op_iota(tg_lowerer *l, const tg_op *op);
void tg_lower_op_undefined(tg_lowerer *l, const tg_op *op);

#endif
