/* A copy that runs beside the program that started it (interp/sync/dma.h). */
#ifndef TG_INTERP_SYNC_DMA_STATE_H
#define TG_INTERP_SYNC_DMA_STATE_H

#include "interp/memory/extent.h"
#include "interp/state/chain.h"

struct tg_dma {
    tg_ref from, to; /* as they were at the start; of rank >= 1 */
    int rank;
    int64_t *semaphore;
    int64_t bytes; /* that the semaphore grows by */
    const tg_inst *inst;
    int64_t program[TG_MAX_AXES], program_index; /* that started it */
    int64_t actor;                               /* that it is, see interp/state/actors.h */
    bool has_taken_place;
    bool was_polled;
    tg_extent reads, writes;
};

#endif
