/* The moment when a copy takes place. */
#ifndef TG_INTERP_SYNC_DMA_MOVE_H
#define TG_INTERP_SYNC_DMA_MOVE_H

#include "interp/state/machine.h"

/* Copies the elements.  Those of the source outside its array are undefined in the destination;
 * those of the destination outside its array are left out.  Reads everything before it writes
 * anything.  Returns false if memory runs out. */
bool tg_dma_move(tg_machine *m, const tg_dma *dma);

#endif
