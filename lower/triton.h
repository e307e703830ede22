/* Lowers the dialect `triton` to the nodes and instructions that all plans have.  Where its corner
 * cases differ from those of `xla` (docs/semantics.md), an op becomes several nodes, or gets a
 * guard before it.
 *
 *   max, min, clamp, and reductions and scans with them   drop NaN (extremum.c)
 *   integer div, rem; shifts                               get a guard against divisors of 0 and
 *                                                          shift amounts that are too large
 *   convert to f8e4m3fn                                    saturates (convert.c)
 *   dot_general on f32 at default precision                takes its operands as tf32 */
#ifndef TG_LOWER_TRITON_H
#define TG_LOWER_TRITON_H

#include "lower/impl.h"

void tg_lower_triton_division(tg_lowerer *l, const tg_op *op);
void tg_lower_triton_shift(tg_lowerer *l, const tg_op *op);
void tg_lower_triton_dot(tg_lowerer *l, const tg_op *op);

#endif
