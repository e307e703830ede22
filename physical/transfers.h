/* Loads and stores: what the instruction demands that moves; and that what is in tensor memory stays. */
#ifndef TG_PHYSICAL_TRANSFERS_H
#define TG_PHYSICAL_TRANSFERS_H

#include "physical/demand.h"

/* Checks a load or store with an `instruction`: ldmatrix, stmatrix, tcgen05. */
void tg_transfer_check(tg_demands *d, const tg_op *op);

/* Checks a store that names no instruction: none moves what is in tensor memory to elsewhere in it. */
void tg_transfer_check_stays(tg_demands *d, const tg_op *op);

#endif
