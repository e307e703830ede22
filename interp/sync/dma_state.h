/* A copy that runs beside the program that started it (interp/sync/dma.h). */
#ifndef TG_INTERP_SYNC_DMA_STATE_H
#define TG_INTERP_SYNC_DMA_STATE_H

#include "interp/state/chain.h"
#include "interp/sync/dma_side.h"

/* A copy of a group reads and writes at two moments; any other one at one. */
typedef enum tg_dma_stage { TG_DMA_STARTED, TG_DMA_HAS_READ, TG_DMA_DONE } tg_dma_stage;

struct tg_dma {
    tg_dma_side from, to;
    tg_dma_stage stage;
    int64_t *signal;      /* the semaphore or barrier that is told, see tg_dma_told; NULL: none */
    uint32_t phase;       /* of that barrier */
    uint32_t group;       /* the number of its group in those of the thread */
    bool is_read_awaited; /* the thread has made sure that the source is read */
    unsigned char *held;  /* between the moments: what it has read; owned; else NULL */
    int64_t bytes;        /* a semaphore grows by these */
    const tg_inst *inst;
    const struct tg_machine *starter; /* has the scoped memory that its sides may be in */
    int64_t program[TG_MAX_AXES], program_index; /* the program that started it */
    int64_t actor;                               /* its own number, see interp/state/actors.h */
    bool was_polled;
};

static inline bool tg_dma_is_of_group(const tg_dma *dma)
{
    return dma->inst->as.dma->told == TG_DMA_TELLS_GROUP;
}

#endif
