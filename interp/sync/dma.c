/* The life of a copy: its start, the moment when it takes place, the wait that makes it certain,
 * and the end of its memory. */
#include "interp/sync/dma.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interp/sync/dma_state.h"
#include "interp/sync/barrier.h"
#include "interp/sync/dma_move.h"
#include "interp/state/actors.h"
#include "interp/state/found.h"
#include "interp/state/handlers.h"
#include "interp/state/order.h"
#include "interp/sync/semaphore.h"
#include "interp/memory/notify.h"
#include "base/list.h"

/* ---- when a copy takes place ---- */

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
    return tg_random(tg_random(m->launch->order->seed, m->chain->dmas.stream),
                     m->chain->dmas.drawn++);
}

/* ---- taking place ---- */

/* The box of a side that is inside its array. */
static void set_box(const tg_dma_side *side, tg_access_event *event)
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

static void accessed(const tg_machine *m, const tg_dma *dma, tg_access_kind kind)
{
    const struct tg_inst_dma *plan = dma->inst->as.dma;
    const tg_dma_side *side = kind == TG_ACCESS_READ ? &dma->from : &dma->to;
    const uint32_t root = kind == TG_ACCESS_READ ? plan->from_root : plan->to_root;
    const int64_t width = (int64_t)side->piece_bytes;
    if (!(m->launch->watched & kind) || root == UINT32_MAX) return;
    tg_access_event event = {.kind = kind,
                             .param = root,
                             .width = side->piece_bytes,
                             .inst = dma->inst,
                             .program = dma->program,
                             .program_index = dma->program_index,
                             .chain = m->chain->number,
                             .actor = dma->actor,
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

static void tell(tg_machine *m, tg_dma *dma)
{
    switch (dma->inst->as.dma->told) {
    case TG_DMA_TELLS_SEMAPHORE:
        *dma->signal += dma->bytes;
        tg_semaphore_raised(m, dma->inst, dma->inst->as.dma->signal_root, dma->signal);
        return;
    case TG_DMA_TELLS_BARRIER: tg_barrier_copied(m, dma); return;
    case TG_DMA_TELLS_GROUP: return;
    }
}

void tg_dma_read_source(tg_machine *m, tg_dma *dma)
{
    if (dma->stage != TG_DMA_STARTED) return;
    dma->stage = TG_DMA_HAS_READ;
    accessed(m, dma, TG_ACCESS_READ);
    TG_DETECT(m, copied, m, dma)
    if (!tg_dma_read(m, dma)) m->launch->findings->is_incomplete = true;
}

static void write_target(tg_machine *m, tg_dma *dma)
{
    dma->stage = TG_DMA_DONE;
    accessed(m, dma, TG_ACCESS_INTENT);
    tg_dma_write(dma);
    accessed(m, dma, TG_ACCESS_WRITE);
}

static void move_at_once(tg_machine *m, tg_dma *dma)
{
    dma->stage = TG_DMA_DONE;
    accessed(m, dma, TG_ACCESS_READ);
    accessed(m, dma, TG_ACCESS_INTENT);
    TG_DETECT(m, copied, m, dma)
    if (!tg_dma_move(m, dma)) m->launch->findings->is_incomplete = true;
    accessed(m, dma, TG_ACCESS_WRITE);
}

void tg_dma_take_place(tg_machine *m, tg_dma *dma)
{
    if (dma->stage == TG_DMA_DONE) return;
    if (dma->stage == TG_DMA_HAS_READ)
        write_target(m, dma);
    else
        move_at_once(m, dma);
    tell(m, dma);
}

/* Lets the copy do its next step: one of a group reads first. */
static void step(tg_machine *m, tg_dma *dma)
{
    if (dma->stage == TG_DMA_STARTED && tg_dma_is_of_group(dma))
        tg_dma_read_source(m, dma);
    else
        tg_dma_take_place(m, dma);
}

/* Lets each copy that has not taken place yet do so with some probability. */
static void pass_moment(tg_machine *m)
{
    enum { ONE_IN = 4 };
    if (moment_of(m) != ANY_TIME) return;
    for (uint32_t i = 0; i < m->chain->dmas.count; i++) {
        tg_dma *dma = &m->chain->dmas.list[i];
        if (dma->stage != TG_DMA_DONE && draw(m) % ONE_IN == 0) step(m, dma);
    }
}

void tg_dma_before(tg_machine *m, const tg_inst *inst, bool is_visible)
{
    if (is_visible) pass_moment(m);
    if (!tg_inst_accesses(inst)) return;
    TG_DETECT(m, access_beside_copies, m, inst)
}

/* ---- the start ---- */

static int64_t bytes_of(const tg_dma_side *side)
{
    int64_t bytes = (int64_t)side->bytes;
    for (int d = 0; d < side->rank; d++) bytes *= side->ref.shape[d];
    return bytes;
}

static int64_t number_of_copy(tg_machine *m)
{
    tg_launch *launch = m->launch;
    const int64_t n = __atomic_add_fetch(&launch->copies, 1, __ATOMIC_RELAXED);
    return tg_actor_of_copy(m->actor, n, launch->actors);
}

static void free_copy(tg_dma *dma)
{
    free(dma->held);
    tg_dma_side_free(&dma->from);
    tg_dma_side_free(&dma->to);
}

/* Returns false if memory runs out; free_copy it in either case. */
static bool make(tg_machine *m, const tg_inst *inst, tg_dma *dma)
{
    const struct tg_inst_dma *plan = inst->as.dma;
    *dma = (tg_dma){.inst = inst,
                    .starter = m,
                    .group = m->closed_groups,
                    .program_index = m->program_index,
                    .actor = number_of_copy(m)};
    if (plan->told != TG_DMA_TELLS_GROUP) dma->signal = tg_semaphore_at(m, plan->signal);
    if (plan->told == TG_DMA_TELLS_BARRIER && dma->signal)
        dma->phase = tg_barrier_phase(dma->signal);
    memcpy(dma->program, m->program, sizeof dma->program);
    const bool is_made = tg_dma_side_init(&dma->from, m, &m->refs[plan->from], &plan->type);
    const bool is_whole = tg_dma_side_init(&dma->to, m, &m->refs[plan->to], &plan->type) && is_made;
    dma->bytes = bytes_of(&dma->from);
    return is_whole;
}

/* Reports lengths, known only at run time, that differ.  Elements that the source lacks are
 * undefined in the destination. */
static void check_lengths(tg_machine *m, const tg_dma *dma)
{
    const struct tg_inst_dma *plan = dma->inst->as.dma;
    for (int d = 0; d < plan->type.rank; d++) {
        if (dma->from.ref.shape[d] == dma->to.ref.shape[d]) continue;
        tg_machine_found(m, TG_FINDING_ACCESS_OUTSIDE_REF, dma->inst, NULL,
                         "dma_start copies %" PRId64
                         " elements of dimension %d to where there are %" PRId64,
                         dma->from.ref.shape[d], d, dma->to.ref.shape[d]);
        return;
    }
}

static tg_dma *remember(tg_dmas *dmas, const tg_dma *dma)
{
    tg_dma *list = tg_list_grow(dmas->list, dmas->count, &dmas->capacity, sizeof *list);
    if (!list) return NULL;
    dmas->list = list;
    dmas->list[dmas->count] = *dma;
    return &dmas->list[dmas->count++];
}

/* Adds the copy to those in flight.  Returns false if memory runs out. */
static bool start(tg_machine *m, const tg_dma *dma)
{
    TG_DETECT(m, copy_starts, m, dma)
    tg_dma *kept = remember(&m->chain->dmas, dma);
    if (!kept) return false;
    if (moment_of(m) == AT_ONCE)
        tg_dma_take_place(m, kept);
    else
        pass_moment(m);
    return true;
}

void tg_exec_dma(tg_machine *m, const tg_inst *inst)
{
    tg_dma dma;
    const bool is_made = make(m, inst, &dma);
    const bool is_told = tg_dma_is_of_group(&dma) || dma.signal;
    if (is_told && is_made) check_lengths(m, &dma);
    /* Without a semaphore, which has been reported, or without elements there is no copy. */
    const bool is_real = is_made && is_told && dma.bytes != 0;
    if (is_real && start(m, &dma)) return;
    if (is_real || !is_made) m->launch->findings->is_incomplete = true;
    free_copy(&dma);
}

/* ---- waiting ---- */

static bool is_awaited(const tg_dma *dma, const int64_t *signal)
{
    return dma->stage != TG_DMA_DONE && dma->signal == signal;
}

uint32_t tg_dma_count_awaited(const tg_machine *m, const int64_t *signal)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->chain->dmas.count; i++)
        count += is_awaited(&m->chain->dmas.list[i], signal);
    return count;
}

bool tg_dma_hurry(tg_machine *m, const int64_t *signal)
{
    uint32_t count = tg_dma_count_awaited(m, signal);
    if (!count) return false;
    /* The newest copy first: a kernel that shares a semaphore expects that least. */
    uint32_t which = moment_of(m) == ANY_TIME ? (uint32_t)(draw(m) % count) : count - 1;
    for (uint32_t i = 0; i < m->chain->dmas.count; i++)
        if (is_awaited(&m->chain->dmas.list[i], signal) && which-- == 0) {
            tg_dma_take_place(m, &m->chain->dmas.list[i]);
            break;
        }
    return true;
}

bool tg_dma_let_one_go(tg_machine *m)
{
    for (uint32_t i = 0; i < m->chain->dmas.count; i++) {
        if (m->chain->dmas.list[i].stage == TG_DMA_DONE) continue;
        tg_dma_take_place(m, &m->chain->dmas.list[i]);
        return true;
    }
    return false;
}

bool tg_dma_is_awaited_later(tg_machine *m, const int64_t *signal)
{
    return m->stops && moment_of(m) == ANY_TIME && tg_dma_count_awaited(m, signal) && draw(m) % 2;
}

void tg_dma_polled(tg_machine *m, const int64_t *semaphore)
{
    for (uint32_t i = 0; i < m->chain->dmas.count; i++) {
        tg_dma *dma = &m->chain->dmas.list[i];
        if (!is_awaited(dma, semaphore)) continue;
        if (dma->was_polled && moment_of(m) == LATE) tg_dma_take_place(m, dma);
        dma->was_polled = true;
    }
}

void tg_dma_forget(tg_machine *m, uint32_t at)
{
    tg_dmas *dmas = &m->chain->dmas;
    TG_DETECT(m, copy_ends, m, &dmas->list[at])
    free_copy(&dmas->list[at]);
    dmas->count--;
    memmove(&dmas->list[at], &dmas->list[at + 1], (dmas->count - at) * sizeof *dmas->list);
}

/* All bytes that copies have brought so far were either taken by waits, or are still in the
 * semaphore.  So `missing` bytes of all its copies are still to be waited for; a copy that is
 * larger must have taken place. */
void tg_dma_awaited(tg_machine *m, const int64_t *semaphore)
{
    int64_t missing = *semaphore;
    for (uint32_t i = 0; i < m->chain->dmas.count; i++)
        if (is_awaited(&m->chain->dmas.list[i], semaphore)) missing += m->chain->dmas.list[i].bytes;
    for (uint32_t i = m->chain->dmas.count; i-- > 0;)
        if (m->chain->dmas.list[i].signal == semaphore && m->chain->dmas.list[i].bytes > missing)
            tg_dma_forget(m, i);
}

void tg_dma_phase_awaited(tg_machine *m, const int64_t *barrier, uint32_t phase)
{
    for (uint32_t i = m->chain->dmas.count; i-- > 0;)
        if (m->chain->dmas.list[i].signal == barrier && m->chain->dmas.list[i].phase <= phase)
            tg_dma_forget(m, i);
}

/* ---- ends ---- */

/* Removes a copy, which takes place now if it has not yet, and takes its bytes from the
 * semaphore.  A copy that is known to have read its source needs no memory of the chain any more. */
static void drop(tg_machine *m, uint32_t at, bool reports)
{
    tg_dma *dma = &m->chain->dmas.list[at];
    tg_dma_take_place(m, dma);
    if (dma->inst->as.dma->told == TG_DMA_TELLS_SEMAPHORE)
        *dma->signal -= dma->bytes < *dma->signal ? dma->bytes : *dma->signal;
    if (reports && !dma->is_read_awaited) {
        memcpy(m->program, dma->program, sizeof m->program);
        m->program_index = dma->program_index;
        tg_machine_found(m, TG_FINDING_DMA_NOT_AWAITED, dma->inst, NULL,
                         "nothing waited for the %" PRId64 " bytes of this copy before %s ended",
                         dma->bytes,
                         dma->signal ? "the memory of it or of its semaphore" : "its memory");
    }
    tg_dma_forget(m, at);
}

static bool is_within(const void *at, const unsigned char *memory, size_t bytes)
{
    return (const unsigned char *)at >= memory && (const unsigned char *)at < memory + bytes;
}

/* The end of scoped memory: copies in flight that use it take place, and are reported; so are
 * semaphores in it that are not 0. */
void tg_exec_scope_end(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_scope *scope = inst->as.scope;
    const unsigned char *memory = m->slot[scope->slot];
    const size_t bytes = m->launch->plan->slots[scope->slot].bytes;
    for (uint32_t i = m->chain->dmas.count; i-- > 0;) {
        const tg_dma *dma = &m->chain->dmas.list[i];
        const bool needs_source = dma->from.ref.data == memory && !dma->is_read_awaited;
        if (needs_source || dma->to.ref.data == memory || is_within(dma->signal, memory, bytes))
            drop(m, i, true);
    }
    if (tg_is_semaphore(scope->type.dtype))
        tg_semaphores_end(m, inst, NULL, (const void *)memory, tg_type_count(&scope->type));
}

/* Those of a program that was stopped are left. */
static void free_copies(tg_dmas *dmas)
{
    while (dmas->count) free_copy(&dmas->list[--dmas->count]);
}

void tg_dma_begin(tg_chain *chain, int64_t program_index)
{
    free_copies(&chain->dmas);
    chain->signals.count = 0;
    chain->dmas.stream = (uint64_t)program_index;
    chain->dmas.drawn = 0;
}

void tg_dma_finish(tg_machine *m, bool reports)
{
    while (m->chain->dmas.count) drop(m, m->chain->dmas.count - 1, reports);
}

void tg_dmas_free(tg_dmas *dmas)
{
    free_copies(dmas);
    free(dmas->list);
}
