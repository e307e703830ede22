/* A chain in flight: what its programs share while scratch lives. */
#ifndef TG_INTERP_STATE_CHAIN_H
#define TG_INTERP_STATE_CHAIN_H

#include "plan/inst.h"

/* An op that runs beside the programs, such as a copy (interp/sync/async_op.h). */
typedef struct tg_async_op tg_async_op;

/* The ops in flight. */
typedef struct tg_async_ops {
    tg_async_op **list;   /* in the order in which they started; behind them, memory for others */
    uint32_t count, made; /* made: ops that have memory */
    size_t capacity;
    uint64_t stream,
        drawn; /* number of the stream of random numbers; how many were drawn from it */
} tg_async_ops;

/* The last signal of a semaphore (interp/sync/semaphore.h). */
typedef struct tg_signal {
    const int64_t *semaphore;
    const tg_inst *inst;
    int64_t program[TG_MAX_AXES], program_index;
} tg_signal;

/* A list with one entry for each semaphore that was signalled. */
typedef struct tg_signals {
    tg_signal *list;
    uint32_t count;
    size_t capacity;
} tg_signals;

typedef struct tg_chain {
    int64_t number;
    struct tg_machine *machine;  /* its owner; threads have machines of their own */
    struct tg_machine **threads; /* those machines; NULL: there are no threads */
    unsigned char *scratch;
    tg_async_ops async_ops;
    tg_signals signals;
} tg_chain;

#endif
