#include "interp/sync/async_order.h"

#include <stdlib.h>
#include <string.h>

/* A wait for a phase may still be under way when the next one has some of its arrivals. */
enum { PHASES = 2 };

int64_t tg_async_order_length(const tg_launch *launch)
{
    return launch->plan->hands_on_products ? tg_kernel_threads(launch->plan->kernel) : 0;
}

/* Behind the number of its phase, each has an order. */
static size_t entry_length(const tg_launch *launch)
{
    return (size_t)tg_async_order_length(launch) + 1;
}

size_t tg_async_orders_handed_on(const tg_launch *launch)
{
    return tg_async_order_length(launch) ? launch->barrier_count * PHASES * entry_length(launch)
                                         : 0;
}

void tg_async_order_begin(tg_machine *m)
{
    const size_t length = (size_t)tg_async_order_length(m->launch);
    memset(m->order, 0, length * sizeof *m->order);
    memset(m->order_of_newest, 0, length * sizeof *m->order_of_newest);
    if (m->chain == &m->own_chain)
        memset(m->handed_on, 0, tg_async_orders_handed_on(m->launch) * sizeof *m->handed_on);
}

static void join(int64_t *order, const int64_t *from, int64_t length)
{
    for (int64_t i = 0; i < length; i++)
        if (order[i] < from[i]) order[i] = from[i];
}

bool tg_async_order_init(tg_machine *m, tg_async_op *op)
{
    const int64_t length = tg_async_order_length(m->launch);
    const size_t bytes = (size_t)length * sizeof *op->behind;
    if (!length || !tg_async_is_in_order(op)) return true;
    op->behind = malloc(bytes);
    if (!op->behind) return false;
    if (tg_async_is_product(op)) memcpy(m->order_of_newest, m->order, bytes);
    memcpy(op->behind, m->order_of_newest, bytes);
    if (!tg_async_is_arrival(op)) m->order[m->actor % length] = op->actor;
    return true;
}

static int64_t *entry_of(const tg_machine *m, size_t barrier, uint32_t phase)
{
    return m->chain->machine->handed_on +
           (barrier * PHASES + phase % PHASES) * entry_length(m->launch);
}

void tg_async_order_hand_on(tg_machine *m, size_t barrier, uint32_t phase)
{
    int64_t *const entry = entry_of(m, barrier, phase);
    if (entry[0] != phase) memset(entry, 0, entry_length(m->launch) * sizeof *entry);
    entry[0] = phase;
    join(entry + 1, m->order, tg_async_order_length(m->launch));
}

/* What was handed on at a later phase is not for who is that late. */
void tg_async_order_take_on(tg_machine *m, size_t barrier, uint32_t phase)
{
    const int64_t *const entry = entry_of(m, barrier, phase);
    if (entry[0] == phase) join(m->order, entry + 1, tg_async_order_length(m->launch));
}

bool tg_async_is_behind(const tg_async_op *op, const tg_async_op *earlier)
{
    if (!tg_async_is_in_order(op) || !tg_async_is_in_order(earlier)) return false;
    if (op->starter == earlier->starter) return earlier->actor < op->actor;
    if (!op->behind || tg_async_is_arrival(earlier)) return false;
    const int64_t thread = earlier->starter->actor % op->starter->launch->threads;
    return earlier->actor <= op->behind[thread];
}
