/* What the programs of a run left unwritten. */
#ifndef TG_INTERP_UNWRITTEN_H
#define TG_INTERP_UNWRITTEN_H

#include "interp/machine.h"
#include "interp/written.h"

/* Fills the elements of outputs that nobody wrote with the values of what is undefined, and adds a finding for each output that has
 * some, with the blocks of its mapping that they are in. */
void tg_unwritten_finish(const tg_launch *launch, const tg_written *written);

#endif
