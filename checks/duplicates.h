/* Stores through index arrays, and scatters, that give one element several values: which of them stays is defined nowhere, in Tilegrind
 * the last one, row-major. */
#ifndef TG_CHECKS_DUPLICATES_H
#define TG_CHECKS_DUPLICATES_H

#include "interp/machine.h"

/* Before a store, or a scatter, takes place: reports what it would do. */
void tg_duplicates_of_store(tg_machine *m, const tg_inst *inst);
void tg_duplicates_of_scatter(tg_machine *m, const tg_inst *inst);

#endif
