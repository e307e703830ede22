/* Lowers PTX text that stands in an op. */
#ifndef TG_LOWER_INLINE_PTX_H
#define TG_LOWER_INLINE_PTX_H

#include "lower/impl.h"

void tg_lower_op_inline_ptx(tg_lowerer *l, const tg_op *op);

#endif
