/* Conversions to another dtype: rounded to nearest or toward zero, saturated or not. */
#ifndef TG_LOWER_CONVERT_H
#define TG_LOWER_CONVERT_H

#include "lower/impl.h"

void tg_lower_op_convert(tg_lowerer *l, const tg_op *op);

/* In the dialect `triton` conversions from wider floats to f8e4m3fn saturate. */
void tg_lower_triton_convert(tg_lowerer *l, const tg_op *op);

#endif
