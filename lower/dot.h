/* Products of matrices. */
#ifndef TG_LOWER_DOT_H
#define TG_LOWER_DOT_H

#include "lower/impl.h"

/* The type in which a product with these dtypes is summed. */
tg_dtype tg_lower_dot_sums_in(tg_dtype lhs, tg_dtype rhs, tg_dtype result);

void tg_lower_op_dot(tg_lowerer *l, const tg_op *op);
void tg_lower_op_dot_start(tg_lowerer *l, const tg_op *op);

#endif
