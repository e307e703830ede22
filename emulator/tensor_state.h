/* The tensor memory of a cluster, and what tcgen05 does there beside the threads. */
#ifndef TG_EMULATOR_TENSOR_STATE_H
#define TG_EMULATOR_TENSOR_STATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct tg_emu_tensor_memory tg_emu_tensor_memory;
typedef struct tg_emu_tensor_op tg_emu_tensor_op;

/* Who does an operation, with clocks. */
typedef struct tg_emu_tensor_actor {
    uint32_t number, step;
} tg_emu_tensor_actor;

typedef struct tg_emu_tensor_state {
    tg_emu_tensor_memory **memories; /* by rank of the CTA; NULL: nothing was allocated so far */
    tg_emu_tensor_op *ops;           /* those that have begun and are not over, or not awaited */
    size_t op_count, op_capacity;
    /* Rows of clocks, which are made when they are first wanted; without clocks there are none. */
    uint32_t **known;  /* per warp: what its next operations know */
    uint32_t **ended;  /* per warp: what it has waited for */
    uint32_t **issued; /* per thread: its products so far, which are ordered among themselves */
    uint32_t *freed;   /* what deallocations hand on to later allocations */
} tg_emu_tensor_state;

#endif
