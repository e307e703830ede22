/* Copies that run beside the program (dma_start), and what is known of them.
 *
 * A copy *takes place* at once, at a moment that the order chooses between its start and the wait
 * that needs it.  When the program may rely on it is another question, which no order has a say in:
 * a copy is *certain* once the waits on its semaphore have taken so many bytes that those of all
 * the others would not have sufficed.  Until then it is *in flight*, and who touches its
 * destination or writes its source is reported, whether or not it has taken place already. */
#ifndef TG_INTERP_SYNC_DMA_H
#define TG_INTERP_SYNC_DMA_H

#include "interp/state/machine.h"

void tg_dmas_free(tg_dmas *dmas);

/* Before an instruction, while copies are in flight: some may take place if it is visible, and
 * detectors hear of what it accesses. */
void tg_dma_before(tg_machine *m, const tg_inst *inst, bool is_visible);

/* A program waits for `semaphore`: one of the copies that will signal it takes place.  False where
 * there is none. */
bool tg_dma_hurry(tg_machine *m, const int64_t *semaphore);

/* Nobody else can go on: the first copy of the chain that has not taken place does so.  False where
 * there is none. */
bool tg_dma_let_one_go(tg_machine *m);

/* Whether a wait for `semaphore` goes on for now, as other programs can run meanwhile. */
bool tg_dma_is_awaited_later(tg_machine *m, const int64_t *semaphore);

/* The program reads `semaphore`: a program that does so again and again sees every copy in the
 * end. */
void tg_dma_polled(tg_machine *m, const int64_t *semaphore);

/* A wait has taken bytes from `semaphore`: copies that are certain now are in flight no more. */
void tg_dma_awaited(tg_machine *m, const int64_t *semaphore);

/* The chain begins at `program_index`, its first program's place in the grid, with no copies in flight. */
void tg_dma_begin(tg_chain *chain, int64_t program_index);

/* All copies take place and are forgotten; with `reports` those in flight are reported. */
void tg_dma_finish(tg_machine *m, bool reports);

#endif
