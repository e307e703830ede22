/* Values that meet in an op are held alike. */
#ifndef TG_PHYSICAL_AGREEMENT_H
#define TG_PHYSICAL_AGREEMENT_H

#include "physical/demand.h"

/* Element-wise ops have all operands, and the result, in the same places; other ops the result where it
 * follows from the operand; reductions and broadcasts in the threads that have the operand; loops what
 * they carry. */
void tg_agreement_check(tg_demands *d, const tg_op *op);

#endif
