/* Products of matrices. */
#ifndef TG_LOWER_DOT_H
#define TG_LOWER_DOT_H

#include "lower/impl.h"

void tg_lower_op_dot(tg_lowerer *l, const tg_op *op);

#endif
