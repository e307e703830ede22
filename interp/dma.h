/* Copies that run beside the program (dma_start), and what is known of them.
 *
 * A copy *takes place* at once, at a moment that the order chooses between its start and the wait that needs it.  When the program may
 * rely on it is another question, which no order has a say in: a copy is *certain* once the waits on its semaphore have taken so many
 * bytes that those of all the others would not have sufficed.  Until then it is *in flight*, and who touches its
 * destination or writes its source is reported, whether or not it has taken place already. */
#ifndef TG_INTERP_DMA_H
#define TG_INTERP_DMA_H

#include "plan/plan.h"

/* Bytes of memory: a run at each place of a strided box.  The last dimension is the run, of stride 1; strides fall. */
typedef struct tg_extent {
    const unsigned char *first;
    int rank; /* 0: no bytes at all */
    int64_t count[TG_MAX_RANK + 1], stride[TG_MAX_RANK + 1];
} tg_extent;

/* The first byte of `a` that `b` has as well, or NULL. */
const unsigned char *tg_extents_meet(const tg_extent *a, const tg_extent *b);

typedef struct tg_dma tg_dma;

/* The copies in flight of one machine. */
typedef struct tg_dmas {
    tg_dma *list; /* in the order of their starts */
    uint32_t count;
    size_t capacity;
    uint64_t chain, drawn; /* names the stream of random numbers; how many were drawn */
} tg_dmas;

void tg_dmas_free(tg_dmas *dmas);

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

struct tg_machine;

/* Before an instruction, while copies are in flight: some may take place if it is visible, and what it touches is compared with them. */
void tg_dma_before(struct tg_machine *m, const tg_inst *inst, bool is_visible);

/* A program waits for `semaphore`: one of the copies that will signal it takes place.  False where there is none. */
bool tg_dma_hurry(struct tg_machine *m, const int64_t *semaphore);

/* Whether a wait for `semaphore` goes on for now, as other programs can run meanwhile. */
bool tg_dma_is_awaited_later(struct tg_machine *m, const int64_t *semaphore);

/* The program reads `semaphore`: a program that does so again and again sees every copy in the end. */
void tg_dma_polled(struct tg_machine *m, const int64_t *semaphore);

/* A wait has taken bytes from `semaphore`: copies that are certain now are in flight no more. */
void tg_dma_awaited(struct tg_machine *m, const int64_t *semaphore);

/* The machine begins a chain at `order`, its first program's place in the grid, with no copies in flight. */
void tg_dma_begin(struct tg_machine *m, int64_t order);

/* All copies take place and are forgotten; with `reports` those in flight are reported. */
void tg_dma_finish(struct tg_machine *m, bool reports);

#endif
