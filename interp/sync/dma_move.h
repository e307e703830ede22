/* The moment in which a copy takes place. */
#ifndef TG_INTERP_SYNC_DMA_MOVE_H
#define TG_INTERP_SYNC_DMA_MOVE_H

#include "interp/state/machine.h"

/* Moves the elements: those of the source that are outside their array are undefined in the
 * destination, and those of the destination are dropped.  All is read before anything is written.
 * False without memory. */
bool tg_dma_move(tg_machine *m, const tg_dma *dma);

#endif
