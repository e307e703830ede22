/* Lowers element-wise ops: each becomes a pending node. */
#ifndef TG_LOWER_ELEMENTWISE_H
#define TG_LOWER_ELEMENTWISE_H

#include "lower/impl.h"

void tg_lower_op_elementwise(tg_lowerer *l, const tg_op *op);

/* To another dtype, rounded to nearest; nothing if it is the same. */
void tg_lower_op_retype(tg_lowerer *l, const tg_op *op);

void tg_lower_op_select(tg_lowerer *l, const tg_op *op);
void tg_lower_op_pow(tg_lowerer *l, const tg_op *op);
void tg_lower_op_integer_pow(tg_lowerer *l, const tg_op *op);
void tg_lower_op_reduce_precision(tg_lowerer *l, const tg_op *op);
void tg_lower_op_round(tg_lowerer *l, const tg_op *op);

#endif
