/* Private to the copies that run beside the program (interp/dma*.c). */
#ifndef TG_INTERP_DMA_IMPL_H
#define TG_INTERP_DMA_IMPL_H

#include "interp/access.h"

struct tg_dma {
    tg_ref from, to; /* as they were at the start; of rank >= 1 */
    int rank;
    int64_t *semaphore;
    int64_t bytes; /* that the semaphore grows by */
    const tg_inst *inst;
    int64_t program[TG_MAX_AXES], order; /* that started it */
    bool has_taken_place;
    bool was_polled;
    tg_extent reads, writes;
};

/* Moves the elements: those of the source that are outside their array are undefined in the destination, and those of the
 * destination are dropped.  All is read before anything is written.  False without memory. */
bool tg_dma_move(tg_machine *m, const tg_dma *dma);

/* Reports what the copy `starting` has in common with those in flight. */
void tg_dma_compare_start(tg_machine *m, const tg_dma *starting);

/* Reports what an access has in common with the copies in flight. */
void tg_dma_compare_access(tg_machine *m, const tg_inst *inst);

#endif
