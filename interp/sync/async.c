/* The life of an op beside the threads: its start, the moment when it takes place, and the wait that makes it
 * certain.  async_make.c makes it, and async_end.c has the end of its memory. */
#include "interp/sync/async.h"

#include <stdlib.h>
#include <string.h>

#include "interp/sync/async_make.h"
#include "interp/sync/async_op.h"
#include "interp/sync/async_order.h"
#include "interp/sync/barrier.h"
#include "interp/sync/dma_move.h"
#include "interp/sync/product_add.h"
#include "interp/state/handlers.h"
#include "interp/state/order.h"
#include "interp/sync/semaphore.h"
#include "interp/memory/notify.h"
#include "base/list.h"

/* ---- when it takes place ---- */

typedef enum moment { LATE, AT_ONCE, ANY_TIME } moment;

/* Order `sequential` is as late as a kernel can notice, `reversed` as early; others choose at
 * random. */
static moment moment_of(const tg_machine *m)
{
    if (!m->launch->order || m->launch->order->kind == TG_ORDER_SEQUENTIAL) return LATE;
    return m->launch->order->kind == TG_ORDER_REVERSED ? AT_ONCE : ANY_TIME;
}

/* A random number of the chain's own stream, so that it does not depend on threads. */
static uint64_t draw(tg_machine *m)
{
    return tg_random(tg_random(m->launch->order->seed, m->chain->async_ops.stream),
                     m->chain->async_ops.drawn++);
}

/* ---- taking place ---- */

/* The box of a side that is inside its array. */
static void set_box(const tg_async_side *side, tg_access_event *event)
{
    const tg_ref *ref = &side->ref;
    event->first = ref->origin;
    event->rank = side->rank;
    for (int d = 0; d < side->rank; d++) {
        event->first += ref->low[d] * ref->stride[d];
        event->count[d] = ref->high[d] - ref->low[d];
        event->stride[d] = ref->stride[d];
    }
}

/* Notifies of an access to all of a side. */
static void accessed(const tg_machine *m, const tg_async_op *op, const tg_async_place *place,
                     const tg_async_side *side, tg_access_kind kind)
{
    const int64_t width = (int64_t)side->piece_bytes;
    if (!(m->launch->watched & kind) || place->root == UINT32_MAX) return;
    tg_access_event event = {.kind = kind,
                             .param = place->root,
                             .width = side->piece_bytes,
                             .inst = op->inst,
                             .program = op->program,
                             .program_index = op->program_index,
                             .chain = m->chain->number,
                             .actor = op->actor,
                             .rank = 1,
                             .stride = {1}};
    for (uint32_t i = 0; i < side->run_count; i++) {
        event.first = (side->runs[i].first - side->ref.data) / width;
        event.count[0] = side->runs[i].bytes / width;
        tg_machine_notify(m, &event);
    }
    if (side->places) return;
    set_box(side, &event);
    tg_machine_notify(m, &event);
}

static void sources_accessed(const tg_machine *m, const tg_async_op *op)
{
    const struct tg_inst_async *plan = op->inst->as.async;
    if (tg_async_is_product(op) && !plan->replaces)
        accessed(m, op, &plan->to, &op->to, TG_ACCESS_READ);
    for (uint32_t i = 0; i < plan->source_count; i++)
        accessed(m, op, &plan->source[i], &op->source[i], TG_ACCESS_READ);
}

static void target_accessed(const tg_machine *m, const tg_async_op *op, tg_access_kind kind)
{
    accessed(m, op, &op->inst->as.async->to, &op->to, kind);
}

/* The moment when the op does all that it does. */
static bool perform(tg_machine *m, tg_async_op *op)
{
    if (tg_async_is_arrival(op)) return true;
    return tg_async_is_product(op) ? tg_product_add(m, op) : tg_dma_move(m, op);
}

static void tell(tg_machine *m, tg_async_op *op)
{
    switch (op->inst->as.async->told) {
    case TG_ASYNC_TELLS_SEMAPHORE:
        *op->signal += op->bytes;
        tg_semaphore_tell(m, op->inst, op->inst->as.async->signal_root, op->signal, op->bytes);
        tg_semaphore_raised(m, op->inst, op->inst->as.async->signal_root, op->signal);
        return;
    case TG_ASYNC_TELLS_BARRIER: tg_barrier_copied(m, op); return;
    case TG_ASYNC_ARRIVES: tg_barrier_arrived(m, op); return;
    case TG_ASYNC_TELLS_GROUP: return;
    }
}

void tg_async_read_source(tg_machine *m, tg_async_op *op)
{
    if (op->stage != TG_ASYNC_STARTED) return;
    op->stage = TG_ASYNC_HAS_READ;
    sources_accessed(m, op);
    TG_DETECT(m, async_happens, m, op)
    if (!tg_dma_read(m, op)) m->launch->findings->is_incomplete = true;
}

void tg_async_make_sure_of_read(tg_machine *m, tg_async_op *op)
{
    tg_async_read_source(m, op);
    if (op->is_read_awaited) return;
    op->is_read_awaited = true;
    TG_DETECT(m, async_has_read, m, op)
}

/* Notifies of the write before it and after it.  One that combines is atomic. */
static void target_will_change(const tg_machine *m, const tg_async_op *op)
{
    target_accessed(m, op, op->inst->as.async->combines ? TG_ACCESS_ATOMIC : TG_ACCESS_INTENT);
}

static void target_has_changed(const tg_machine *m, const tg_async_op *op)
{
    target_accessed(m, op, op->inst->as.async->combines ? TG_ACCESS_UPDATED : TG_ACCESS_WRITE);
}

static void write_target(tg_machine *m, tg_async_op *op)
{
    op->stage = TG_ASYNC_DONE;
    target_will_change(m, op);
    TG_DETECT(m, async_writes, m, op)
    tg_dma_write(m, op);
    target_has_changed(m, op);
}

static void do_at_once(tg_machine *m, tg_async_op *op)
{
    op->stage = TG_ASYNC_DONE;
    sources_accessed(m, op);
    TG_DETECT(m, async_happens, m, op)
    target_will_change(m, op);
    if (!perform(m, op)) m->launch->findings->is_incomplete = true;
    target_has_changed(m, op);
}

/* Products of a thread take place in the order in which they were started, and behind those of other
 * threads whose order was handed on. */
static void follow_earlier(tg_machine *m, const tg_async_op *next)
{
    for (tg_async_op *const *op = m->chain->async_ops.list; *op != next; op++)
        if (tg_async_is_behind(next, *op)) tg_async_take_place(m, *op);
    if (!next->follows && !next->behind) return;
    TG_DETECT(m, async_follows, m, next)
}

void tg_async_take_place(tg_machine *m, tg_async_op *op)
{
    if (op->stage == TG_ASYNC_DONE) return;
    if (tg_async_is_in_order(op)) follow_earlier(m, op);
    if (op->stage == TG_ASYNC_HAS_READ)
        write_target(m, op);
    else
        do_at_once(m, op);
    tell(m, op);
}

/* Lets the op do its next step: a copy of a group reads first. */
static void step(tg_machine *m, tg_async_op *op)
{
    if (op->stage == TG_ASYNC_STARTED && tg_async_is_of_group(op) && !tg_async_is_in_order(op))
        tg_async_read_source(m, op);
    else
        tg_async_take_place(m, op);
}

/* Lets each op that has not taken place yet do so with some probability. */
static void pass_moment(tg_machine *m)
{
    enum { ONE_IN = 4 };
    if (moment_of(m) != ANY_TIME) return;
    for (uint32_t i = 0; i < m->chain->async_ops.count; i++) {
        tg_async_op *op = m->chain->async_ops.list[i];
        if (op->stage != TG_ASYNC_DONE && draw(m) % ONE_IN == 0) step(m, op);
    }
}

/* Registers that the instruction accesses are there, but their loads remain in flight. */
static void use_registers(tg_machine *m, const tg_inst *inst)
{
    const unsigned char *const memory = m->refs[inst->as.access->access.ref].data;
    for (uint32_t i = 0; i < m->chain->async_ops.count; i++) {
        tg_async_op *op = m->chain->async_ops.list[i];
        if (tg_async_is_load(op) && op->starter == m && op->to.ref.data == memory)
            tg_async_take_place(m, op);
    }
}

void tg_async_before(tg_machine *m, const tg_inst *inst, bool is_visible)
{
    if (is_visible) pass_moment(m);
    if (!tg_inst_accesses(inst)) return;
    use_registers(m, inst);
    TG_DETECT(m, access_beside_async, m, inst)
}

/* ---- the start ---- */

static tg_async_op *remember(tg_async_ops *ops, const tg_async_op *op)
{
    if (ops->count == ops->made) {
        tg_async_op **list = tg_list_grow(ops->list, ops->made, &ops->capacity, sizeof *list);
        if (list) ops->list = list;
        tg_async_op *const memory = list ? malloc(sizeof *memory) : NULL;
        if (!memory) return NULL;
        ops->list[ops->made++] = memory;
    }
    return memcpy(ops->list[ops->count++], op, tg_async_op_bytes(op->inst->as.async));
}

bool tg_async_start(tg_machine *m, const tg_async_op *op)
{
    TG_DETECT(m, async_starts, m, op)
    tg_async_op *kept = remember(&m->chain->async_ops, op);
    if (!kept) return false;
    if (tg_async_is_store(kept)) tg_async_make_sure_of_read(m, kept);
    if (moment_of(m) == AT_ONCE)
        tg_async_take_place(m, kept);
    else
        pass_moment(m);
    return true;
}

/* ---- waiting ---- */

static bool is_awaited(const tg_async_op *op, const int64_t *signal)
{
    return op->stage != TG_ASYNC_DONE && op->signal == signal && !tg_async_is_arrival(op);
}

/* Returns the first arrival at the barrier that is still to come; NULL: there is none. */
static tg_async_op *next_arrival(const tg_machine *m, const int64_t *barrier)
{
    for (uint32_t i = 0; i < m->chain->async_ops.count; i++) {
        tg_async_op *op = m->chain->async_ops.list[i];
        if (tg_async_is_arrival(op) && op->stage != TG_ASYNC_DONE && op->signal == barrier)
            return op;
    }
    return NULL;
}

static uint32_t count_awaited(const tg_machine *m, const int64_t *signal)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->chain->async_ops.count; i++)
        count += is_awaited(m->chain->async_ops.list[i], signal);
    return count;
}

bool tg_async_holds_up(const tg_machine *m, const int64_t *barrier)
{
    for (uint32_t i = 0; i < m->chain->async_ops.count; i++) {
        const tg_async_op *op = m->chain->async_ops.list[i];
        if (is_awaited(op, barrier) && !op->inst->as.async->is_expected) return true;
    }
    return false;
}

bool tg_async_hurry(tg_machine *m, const int64_t *signal)
{
    uint32_t count = count_awaited(m, signal);
    if (!count) return false;
    /* The newest copy first: a kernel that shares a semaphore expects that least. */
    uint32_t which = moment_of(m) == ANY_TIME ? (uint32_t)(draw(m) % count) : count - 1;
    for (uint32_t i = 0; i < m->chain->async_ops.count; i++)
        if (is_awaited(m->chain->async_ops.list[i], signal) && which-- == 0) {
            tg_async_take_place(m, m->chain->async_ops.list[i]);
            break;
        }
    return true;
}

bool tg_async_hurry_arrival(tg_machine *m, const int64_t *barrier)
{
    tg_async_op *arrival = next_arrival(m, barrier);
    if (arrival) tg_async_take_place(m, arrival);
    return arrival != NULL;
}

bool tg_async_let_one_go(tg_machine *m)
{
    for (uint32_t i = 0; i < m->chain->async_ops.count; i++) {
        if (m->chain->async_ops.list[i]->stage == TG_ASYNC_DONE) continue;
        tg_async_take_place(m, m->chain->async_ops.list[i]);
        return true;
    }
    return false;
}

bool tg_async_is_awaited_later(tg_machine *m, const int64_t *signal)
{
    return m->stops && moment_of(m) == ANY_TIME &&
           (count_awaited(m, signal) || next_arrival(m, signal)) && draw(m) % 2;
}

void tg_async_polled(tg_machine *m, const int64_t *semaphore)
{
    for (uint32_t i = 0; i < m->chain->async_ops.count; i++) {
        tg_async_op *op = m->chain->async_ops.list[i];
        if (!is_awaited(op, semaphore)) continue;
        if (op->was_polled && moment_of(m) == LATE) tg_async_take_place(m, op);
        op->was_polled = true;
    }
}

void tg_async_forget(tg_machine *m, uint32_t at)
{
    tg_async_ops *ops = &m->chain->async_ops;
    tg_async_op *const op = ops->list[at];
    TG_DETECT(m, async_ends, m, op)
    tg_async_free(op);
    ops->count--;
    memmove(&ops->list[at], &ops->list[at + 1], (ops->count - at) * sizeof(tg_async_op *));
    ops->list[ops->count] = op;
}

/* All bytes that copies have brought so far were either taken by waits, or are still in the
 * semaphore.  So `missing` bytes of all its copies are still to be waited for; a copy that is
 * larger must have taken place. */
void tg_async_awaited(tg_machine *m, const int64_t *semaphore)
{
    int64_t missing = *semaphore;
    for (uint32_t i = 0; i < m->chain->async_ops.count; i++)
        if (is_awaited(m->chain->async_ops.list[i], semaphore))
            missing += m->chain->async_ops.list[i]->bytes;
    for (uint32_t i = m->chain->async_ops.count; i-- > 0;)
        if (m->chain->async_ops.list[i]->signal == semaphore &&
            m->chain->async_ops.list[i]->bytes > missing)
            tg_async_forget(m, i);
}

/* Whether it belongs to a phase of the barrier up to this one; an arrival does only once it has come. */
static bool is_of_phase(const tg_async_op *op, const int64_t *barrier, uint32_t phase)
{
    const bool is_known = !tg_async_is_arrival(op) || op->stage == TG_ASYNC_DONE;
    return op->signal == barrier && is_known && op->phase <= phase;
}

/* Whether the starter may still wait for op number `at` by its group; a later one of the same group does as
 * well. */
static bool is_kept(const tg_machine *m, uint32_t at)
{
    const tg_async_ops *ops = &m->chain->async_ops;
    const tg_async_op *op = ops->list[at];
    if (op->starter == m || tg_async_is_arrival(op)) return false;
    for (uint32_t i = at + 1; i < ops->count; i++) {
        const tg_async_op *later = ops->list[i];
        const bool is_of_group = later->starter == op->starter && later->group == op->group;
        if (is_of_group && tg_async_is_in_order(later) && !tg_async_is_arrival(later)) return false;
    }
    return true;
}

/* To the thread of `m`, which did not start it. */
static void become_known(tg_machine *m, tg_async_op *op)
{
    if (op->is_known) return;
    op->is_known = true;
    TG_DETECT(m, async_has_read, m, op)
}

void tg_async_followed_is_known(tg_machine *m, const tg_async_op *op)
{
    for (tg_async_op *const *earlier = m->chain->async_ops.list; *earlier != op; earlier++)
        if ((*earlier)->starter != op->starter && tg_async_is_behind(op, *earlier))
            become_known(m, *earlier);
}

/* Removes arrival number `at`, and what it comes behind, unless that is kept; returns how many stand
 * before it now. */
static uint32_t forget_with_followed(tg_machine *m, uint32_t at)
{
    tg_async_op *const *const list = m->chain->async_ops.list;
    for (uint32_t i = at; i-- > 0;) {
        if (!tg_async_is_behind(list[at], list[i])) continue;
        if (is_kept(m, i)) {
            become_known(m, list[i]);
            continue;
        }
        tg_async_forget(m, i);
        at--;
    }
    tg_async_forget(m, at);
    return at;
}

void tg_async_phase_awaited(tg_machine *m, const int64_t *barrier, uint32_t phase)
{
    for (uint32_t i = m->chain->async_ops.count; i-- > 0;) {
        const tg_async_op *op = m->chain->async_ops.list[i];
        if (!is_of_phase(op, barrier, phase)) continue;
        if (tg_async_is_arrival(op))
            i = forget_with_followed(m, i);
        else
            tg_async_forget(m, i);
    }
}
