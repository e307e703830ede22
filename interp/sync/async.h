/* Ops that run beside the program, such as copies (dma.c), and what is known of them.
 *
 * An op *takes place* in one piece, at a moment that the order chooses between its start and the
 * wait that needs it.  Whether the program may rely on it does not depend on the order: a copy is
 * *certain* when the waits on its semaphore have taken so many bytes that all other copies together
 * could not have brought them.  Until then it is *in flight*, and accesses to its destination and
 * writes to its sources are reported, whether or not it has taken place already. */
#ifndef TG_INTERP_SYNC_ASYNC_H
#define TG_INTERP_SYNC_ASYNC_H

#include "interp/state/machine.h"

void tg_async_ops_free(tg_async_ops *ops);

/* Called before an instruction while ops are in flight: some may take place if it is a visible
 * event, and detectors are notified of its accesses. */
void tg_async_before(tg_machine *m, const tg_inst *inst, bool is_visible);

/* Returns whether the current phase of a barrier is not complete before an op that has not taken
 * place.  That is not so of copies whose bytes the barrier is told to expect. */
bool tg_async_holds_up(const tg_machine *m, const int64_t *barrier);

/* Called when a program waits for a semaphore or barrier: one of these ops takes place.  Returns
 * false if there is none. */
bool tg_async_hurry(tg_machine *m, const int64_t *signal);

/* Called when a program waits for a barrier: the first arrival of an op takes place.  Returns false if
 * there is none. */
bool tg_async_hurry_arrival(tg_machine *m, const int64_t *barrier);

/* Called when no program can go on: the first op of the chain that has not taken place does so.
 * Returns false if there is none. */
bool tg_async_let_one_go(tg_machine *m);

/* Returns whether a wait for it must last for now, so that other programs run first. */
bool tg_async_is_awaited_later(tg_machine *m, const int64_t *signal);

/* Called when the program reads `semaphore`: a program that reads it again and again must see each
 * op in the end. */
void tg_async_polled(tg_machine *m, const int64_t *semaphore);

/* Called when a wait has taken bytes from `semaphore`: ops that are certain now are no longer in
 * flight. */
void tg_async_awaited(tg_machine *m, const int64_t *semaphore);

/* Called when a thread has waited for a phase of a barrier: its ops are no longer in flight. */
void tg_async_phase_awaited(tg_machine *m, const int64_t *barrier, uint32_t phase);

/* The op takes place, unless it has; or, a copy of a group, reads its source. */
void tg_async_take_place(tg_machine *m, tg_async_op *dma);
void tg_async_read_source(tg_machine *m, tg_async_op *dma);

/* The same, and the thread is sure of it from now on. */
void tg_async_make_sure_of_read(tg_machine *m, tg_async_op *copy);

/* Called when a thread has waited for its op: what it comes behind of other threads is known to it. */
void tg_async_followed_is_known(tg_machine *m, const tg_async_op *op);

/* Removes op number `at` of the chain's list from those in flight. */
void tg_async_forget(tg_machine *m, uint32_t at);

/* Adds the op to those in flight, which own it then.  Returns false if memory runs out. */
bool tg_async_start(tg_machine *m, const tg_async_op *op);

/* Begins a chain without ops in flight; `program_index` is that of its first program. */
void tg_async_begin(tg_chain *chain, int64_t program_index);

/* Ends all ops; they take place before.  With `reports`, reports those in flight. */
void tg_async_finish(tg_machine *m, bool reports);

#endif
