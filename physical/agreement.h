/* Values that meet in an op are held alike. */
#ifndef TG_PHYSICAL_AGREEMENT_H
#define TG_PHYSICAL_AGREEMENT_H

#include "physical/demand.h"

/* Element-wise ops, cumulative ones and sort have all operands, and the results, in the same places; ops
 * that only rename elements the result where the operand has them; reductions and broadcasts in the threads
 * that have the operand; loops what they carry. */
void tg_agreement_check(tg_demands *d, const tg_op *op);

#endif
