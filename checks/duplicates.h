/* Stores through index arrays, and scatters, that give one element several values: which of them stays is defined nowhere, in Tilegrind
 * the last one, row-major. */
#ifndef TG_CHECKS_DUPLICATES_H
#define TG_CHECKS_DUPLICATES_H

#include "interp/machine.h"

/* Before an instruction takes place: reports what a store or scatter would do. */
void tg_duplicates_before(tg_machine *m, const tg_inst *inst);

#endif
