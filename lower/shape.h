/* Lowers ops that view elements in another shape or order, or their bits as another dtype. */
#ifndef TG_LOWER_SHAPE_H
#define TG_LOWER_SHAPE_H

#include "lower/impl.h"

void tg_lower_op_broadcast(tg_lowerer *l, const tg_op *op);
void tg_lower_op_reshape(tg_lowerer *l, const tg_op *op);
void tg_lower_op_transpose(tg_lowerer *l, const tg_op *op);
void tg_lower_op_rev(tg_lowerer *l, const tg_op *op);
void tg_lower_op_slice(tg_lowerer *l, const tg_op *op);
void tg_lower_op_bitcast(tg_lowerer *l, const tg_op *op);
void tg_lower_op_layout_cast(tg_lowerer *l, const tg_op *op);

#endif
