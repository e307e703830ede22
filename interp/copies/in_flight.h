/* What ops have in common with copies in flight. */
#ifndef TG_INTERP_COPIES_IN_FLIGHT_H
#define TG_INTERP_COPIES_IN_FLIGHT_H

#include "interp/state/machine.h"

/* Reports what the copy `starting` has in common with those in flight. */
void tg_dma_compare_start(tg_machine *m, const tg_dma *starting);

/* Reports what an access has in common with the copies in flight. */
void tg_dma_compare_access(tg_machine *m, const tg_inst *inst);

#endif
