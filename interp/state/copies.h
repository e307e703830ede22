/* What a machine knows of copies that run beside its program, and of signals (interp/copies/dma.h,
 * interp/copies/semaphore.h). */
#ifndef TG_INTERP_STATE_COPIES_H
#define TG_INTERP_STATE_COPIES_H

#include "plan/inst.h"

typedef struct tg_dma tg_dma;

/* The copies in flight of one machine. */
typedef struct tg_dmas {
    tg_dma *list; /* in the order of their starts */
    uint32_t count;
    size_t capacity;
    uint64_t chain, drawn; /* names the stream of random numbers; how many were drawn */
} tg_dmas;

/* Who raised a semaphore last. */
typedef struct tg_signal {
    const int64_t *semaphore;
    const tg_inst *inst;
    int64_t program[TG_MAX_AXES], order;
} tg_signal;

/* One for each semaphore that a machine has signalled. */
typedef struct tg_signals {
    tg_signal *list;
    uint32_t count;
    size_t capacity;
} tg_signals;

#endif
