/* Copies that run beside the program (dma_start), and what is known of them.
 *
 * A copy *takes place* in one piece, at a moment that the order chooses between its start and the
 * wait that needs it.  Whether the program may rely on it does not depend on the order: a copy is
 * *certain* when the waits on its semaphore have taken so many bytes that all other copies together
 * could not have brought them.  Until then it is *in flight*, and accesses to its destination and
 * writes to its source are reported, whether or not it has taken place already. */
#ifndef TG_INTERP_SYNC_DMA_H
#define TG_INTERP_SYNC_DMA_H

#include "interp/state/machine.h"

void tg_dmas_free(tg_dmas *dmas);

/* Called before an instruction while copies are in flight: some may take place if it is a visible
 * event, and detectors are notified of its accesses. */
void tg_dma_before(tg_machine *m, const tg_inst *inst, bool is_visible);

/* Returns how many copies that have not taken place will tell a semaphore or barrier. */
uint32_t tg_dma_count_awaited(const tg_machine *m, const int64_t *signal);

/* Called when a program waits for a semaphore or barrier: one of these copies takes place.  Returns
 * false if there is none. */
bool tg_dma_hurry(tg_machine *m, const int64_t *signal);

/* Called when no program can go on: the first copy of the chain that has not taken place does so.
 * Returns false if there is none. */
bool tg_dma_let_one_go(tg_machine *m);

/* Returns whether a wait for it must last for now, so that other programs run first. */
bool tg_dma_is_awaited_later(tg_machine *m, const int64_t *signal);

/* Called when the program reads `semaphore`: a program that reads it again and again must see each
 * copy in the end. */
void tg_dma_polled(tg_machine *m, const int64_t *semaphore);

/* Called when a wait has taken bytes from `semaphore`: copies that are certain now are no longer in
 * flight. */
void tg_dma_awaited(tg_machine *m, const int64_t *semaphore);

/* Called when a thread has waited for a phase of a barrier: its copies are no longer in flight. */
void tg_dma_phase_awaited(tg_machine *m, const int64_t *barrier, uint32_t phase);

/* The copy takes place, unless it has; or, one of a group, reads its source. */
void tg_dma_take_place(tg_machine *m, tg_dma *dma);
void tg_dma_read_source(tg_machine *m, tg_dma *dma);

/* Removes copy number `at` of the chain's list from those in flight. */
void tg_dma_forget(tg_machine *m, uint32_t at);

/* Begins a chain without copies in flight; `program_index` is that of its first program. */
void tg_dma_begin(tg_chain *chain, int64_t program_index);

/* Ends all copies; they take place before.  With `reports`, reports those in flight. */
void tg_dma_finish(tg_machine *m, bool reports);

#endif
