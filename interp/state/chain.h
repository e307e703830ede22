/* A chain in flight: what its programs have in common for as long as scratch lives. */
#ifndef TG_INTERP_STATE_CHAIN_H
#define TG_INTERP_STATE_CHAIN_H

#include "plan/inst.h"

/* A copy that runs beside the programs (interp/sync/dma_impl.h). */
typedef struct tg_dma tg_dma;

/* The copies in flight. */
typedef struct tg_dmas {
    tg_dma *list; /* in the order of their starts */
    uint32_t count;
    size_t capacity;
    uint64_t stream, drawn; /* names the stream of random numbers; how many were drawn */
} tg_dmas;

/* Who raised a semaphore last (interp/sync/semaphore.h). */
typedef struct tg_signal {
    const int64_t *semaphore;
    const tg_inst *inst;
    int64_t program[TG_MAX_AXES], program_index;
} tg_signal;

/* One for each semaphore that was signalled. */
typedef struct tg_signals {
    tg_signal *list;
    uint32_t count;
    size_t capacity;
} tg_signals;

typedef struct tg_chain {
    int64_t number;
    struct tg_machine *machine; /* whose own it is; threads have others */
    unsigned char *scratch;
    tg_dmas dmas;
    tg_signals signals;
} tg_chain;

#endif
