/* An op that runs beside the thread that started it (interp/sync/async.h). */
#ifndef TG_INTERP_SYNC_ASYNC_OP_H
#define TG_INTERP_SYNC_ASYNC_OP_H

#include <stddef.h>

#include "interp/state/machine.h"
#include "interp/sync/async_side.h"

/* A copy of a group reads and writes at two moments; any other op at one. */
typedef enum tg_async_stage { TG_ASYNC_STARTED, TG_ASYNC_HAS_READ, TG_ASYNC_DONE } tg_async_stage;

/* Lists of ops are mostly searched by what stands first. */
struct tg_async_op {
    const tg_inst *inst;
    struct tg_machine *starter; /* has the scoped memory that its sides may be in */
    tg_async_stage stage;
    int64_t *signal;      /* the semaphore or barrier that is told, see tg_async_told; NULL: none */
    uint32_t phase;       /* of that barrier */
    uint32_t group;       /* the number of its group in those of the thread */
    bool is_read_awaited; /* the thread has made sure that the source is read */
    bool is_promised;     /* nothing but a wait that is only promised has made sure of it */
    bool is_promised_elsewhere; /* so has another thread, for a product that comes behind it */
    bool is_known;              /* a thread has waited for it by a barrier, its own perhaps not */
    int64_t follows;            /* of one in order: the actor of the one before it; 0: none */
    int64_t *behind;      /* what it comes behind of other threads, see async_order.h; owned */
    unsigned char *value; /* what a source is that is a value; owned; NULL: none is */
    uint32_t note_count;
    void **notes;        /* see tg_async_note; NULL: no source is a value */
    unsigned char *held; /* between the moments: what it has read; owned; else NULL */
    int64_t bytes;       /* a semaphore grows by these */
    int64_t program[TG_MAX_AXES], program_index; /* the program that started it */
    int64_t actor;                               /* its own number, see interp/state/actors.h */
    bool was_polled;
    tg_async_side to;
    tg_async_side source[TG_MOST_SOURCES]; /* as many as its instruction has are set */
};

/* Returns how much of a tg_async_op holds anything: they are large. */
static inline size_t tg_async_op_bytes(const struct tg_inst_async *plan)
{
    return offsetof(tg_async_op, source) + plan->source_count * sizeof(tg_async_side);
}

static inline bool tg_async_is_of_group(const tg_async_op *op)
{
    return op->inst->as.async->told == TG_ASYNC_TELLS_GROUP;
}

static inline bool tg_async_is_product(const tg_async_op *op)
{
    return op->inst->kind == TG_I_PRODUCT;
}

static inline bool tg_async_is_arrival(const tg_async_op *op)
{
    return op->inst->kind == TG_I_ARRIVAL;
}

/* Whether its target stands for registers of its thread, which are there when it uses them. */
static inline bool tg_async_is_load(const tg_async_op *op)
{
    return op->inst->as.async->engine == TG_ENGINE_LOADS;
}

/* Whether its source stands for registers of its thread, which are taken when it starts. */
static inline bool tg_async_is_store(const tg_async_op *op)
{
    return op->inst->as.async->engine == TG_ENGINE_STORES;
}

/* Whether it takes place after all that its thread has started before on the same engine. */
static inline bool tg_async_is_in_order(const tg_async_op *op)
{
    return op->inst->as.async->engine == TG_ENGINE_PRODUCTS;
}

/* Where the detector that is called keeps, from the start of an op on, what it knows of a source that is a
 * value; free() frees it with the op. */
static inline void **tg_async_note(const tg_machine *m, const tg_async_op *op)
{
    return &op->notes[m->own_number];
}

#endif
