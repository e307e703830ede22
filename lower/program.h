/* Lowers ops on the grid, and ops that print or report. */
#ifndef TG_LOWER_PROGRAM_H
#define TG_LOWER_PROGRAM_H

#include "lower/impl.h"

void tg_lower_op_grid(tg_lowerer *l, const tg_op *op);
void tg_lower_op_cancel_launch(tg_lowerer *l, const tg_op *op);
void tg_lower_op_check(tg_lowerer *l, const tg_op *op);
void tg_lower_op_print(tg_lowerer *l, const tg_op *op);

#endif
