/* Which products come behind those of other threads: a barrier hands their order on.
 *
 * An arrival with `orders_products` hands on what the products of its thread will come behind, and
 * themselves; what a thread starts after a wait with `orders_products` comes behind all that was handed
 * on.  Copies among products and arrivals behind them come behind those of their own thread only, and
 * behind what these come behind.
 *
 * An *order* has, for each thread of the chain, the actor of the newest product or copy among products
 * that comes before; 0: none does.  Nothing is kept where no barrier hands on. */
#ifndef TG_INTERP_SYNC_ASYNC_ORDER_H
#define TG_INTERP_SYNC_ASYNC_ORDER_H

#include "interp/sync/async_op.h"

/* Sets the thread's orders, and those of the chain that are handed on, to nothing. */
void tg_async_order_begin(tg_machine *m);

/* Says what the op, which the thread starts, comes behind.  Returns false if memory runs out. */
bool tg_async_order_init(tg_machine *m, tg_async_op *op);

/* At a phase of barrier number `barrier` of the chain. */
void tg_async_order_hand_on(tg_machine *m, size_t barrier, uint32_t phase);
void tg_async_order_take_on(tg_machine *m, size_t barrier, uint32_t phase);

/* Returns whether `op` takes place after `earlier`. */
bool tg_async_is_behind(const tg_async_op *op, const tg_async_op *earlier);

/* The numbers in an order, of one thread each; 0: nothing is handed on. */
int64_t tg_async_order_length(const tg_launch *launch);

/* Those in the orders of a chain that are handed on. */
size_t tg_async_orders_handed_on(const tg_launch *launch);

#endif
