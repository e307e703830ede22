/* The moments when a copy reads and writes. */
#ifndef TG_INTERP_SYNC_DMA_MOVE_H
#define TG_INTERP_SYNC_DMA_MOVE_H

#include "interp/state/machine.h"

/* Copies the elements, or combines them with those of the destination.  Those of the source outside its array are undefined in the destination, or
 * 0 if the op says so; those of the destination outside its array are left out.  Reads everything
 * before it writes anything.  Returns false if memory runs out. */
bool tg_dma_move(tg_machine *m, tg_async_op *dma);

/* The same at two moments: reads the elements to dma->held, and writes them from there, which it
 * frees. */
bool tg_dma_read(tg_machine *m, tg_async_op *dma);
void tg_dma_write(tg_machine *m, tg_async_op *dma);

#endif
