/* max, min and what repeats them: with NaN, or with NaN dropped. */
#ifndef TG_LOWER_EXTREMUM_H
#define TG_LOWER_EXTREMUM_H

#include "lower/impl.h"

/* NaN propagates unless the attribute `nan` says otherwise. */
void tg_lower_op_extremum(tg_lowerer *l, const tg_op *op);
void tg_lower_op_clamp(tg_lowerer *l, const tg_op *op);
void tg_lower_op_extremum_over(tg_lowerer *l, const tg_op *op);

/* In the dialect `triton` NaN is dropped unless the attribute `nan` says otherwise. */
void tg_lower_triton_extremum(tg_lowerer *l, const tg_op *op);
void tg_lower_triton_clamp(tg_lowerer *l, const tg_op *op);
void tg_lower_triton_extremum_over(tg_lowerer *l, const tg_op *op);

#endif
