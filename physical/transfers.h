/* Loads, stores and copies that name the instruction which moves: what it demands. */
#ifndef TG_PHYSICAL_TRANSFERS_H
#define TG_PHYSICAL_TRANSFERS_H

#include "physical/demand.h"

/* Checks a load or store with an `instruction`: ldmatrix, stmatrix, tcgen05. */
void tg_transfer_check(tg_demands *d, const tg_op *op);

#endif
