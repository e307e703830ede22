/* A copy that runs beside the program that started it (interp/sync/dma.h). */
#ifndef TG_INTERP_SYNC_DMA_STATE_H
#define TG_INTERP_SYNC_DMA_STATE_H

#include "interp/state/chain.h"
#include "interp/sync/dma_side.h"

struct tg_dma {
    tg_dma_side from, to;
    int64_t *semaphore;
    int64_t bytes; /* the semaphore grows by these */
    const tg_inst *inst;
    int64_t program[TG_MAX_AXES], program_index; /* the program that started it */
    int64_t actor;                               /* its own number, see interp/state/actors.h */
    bool has_taken_place;
    bool was_polled;
};

#endif
