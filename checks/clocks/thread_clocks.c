#include "checks/clocks/thread_clocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "checks/rounding.h"
#include "interp/state/machine.h"
#include "interp/sync/async_op.h"

/* ---- what is known ---- */

static void free_known(tg_known *known)
{
    tg_clock_free(&known->done);
    tg_clock_free(&known->fenced);
}

static void clear_known(tg_known *known)
{
    tg_clock_clear(&known->done);
    tg_clock_clear(&known->fenced);
}

static bool join(tg_known *known, const tg_known *from)
{
    return tg_clock_join(&known->done, &from->done) && tg_clock_join(&known->fenced, &from->fenced);
}

/* ---- lists ---- */

/* Returns the element `size` bytes large that the map has for the key, adding a zeroed one; NULL if
 * memory runs out. */
static void *element_for(tg_thread_clocks *c, void **list, size_t *count, size_t *room, size_t size,
                         tg_number_map *numbers, uint64_t key)
{
    const uint32_t number = tg_number_map_get(numbers, key);
    if (number != UINT32_MAX) return (unsigned char *)*list + number * size;
    void *larger = tg_list_grow(*list, *count, room, size);
    if (larger) *list = larger;
    if (!larger || !tg_number_map_put(numbers, key, (uint32_t)*count)) {
        c->is_incomplete = true;
        return NULL;
    }
    return memset((unsigned char *)*list + (*count)++ * size, 0, size);
}

/* A thread knows itself: the entry of its own clock is its time, from 1 on. */
static tg_known *thread_of(tg_thread_clocks *c, int64_t actor)
{
    void *list = c->threads;
    tg_known *known = element_for(c, &list, &c->thread_count, &c->thread_room, sizeof *known,
                                  &c->thread_numbers, (uint64_t)actor);
    c->threads = list;
    if (known && !known->done.count && !tg_clock_note(&known->done, actor, 1))
        c->is_incomplete = true;
    return known;
}

static tg_known *place_of(tg_thread_clocks *c, uint64_t key)
{
    void *list = c->places;
    tg_known *known = element_for(c, &list, &c->place_count, &c->place_room, sizeof *known,
                                  &c->place_numbers, key);
    c->places = list;
    return known;
}

static tg_known *phase_of(tg_thread_clocks *c, const int64_t *barrier, int64_t chain,
                          uint32_t phase)
{
    void *list = c->barriers;
    tg_barrier_clocks *b = element_for(c, &list, &c->barrier_count, &c->barrier_room, sizeof *b,
                                       &c->barrier_numbers, (uintptr_t)barrier);
    c->barriers = list;
    if (!b) return NULL;
    for (int i = 0; i < TG_RECENT_PHASES && b->chain != chain; i++) {
        clear_known(&b->recent[i].known);
        b->recent[i].phase = 0;
    }
    b->chain = chain;
    struct tg_phase_clocks *recent = &b->recent[phase % TG_RECENT_PHASES];
    if (recent->phase < phase) {
        clear_known(&recent->known);
        recent->phase = phase;
    }
    return &recent->known;
}

/* ---- handing on ---- */

static void release(tg_thread_clocks *c, int64_t actor, tg_known *to)
{
    tg_known *own = thread_of(c, actor);
    if (!own || !to) return;
    const uint32_t time = tg_clock_of(&own->done, actor);
    if (!join(to, own) || !tg_clock_note(&own->done, actor, time + 1)) c->is_incomplete = true;
}

static void acquire(tg_thread_clocks *c, int64_t actor, const tg_known *from)
{
    tg_known *own = thread_of(c, actor);
    if (own && from && !join(own, from)) c->is_incomplete = true;
}

/* ---- events ---- */

static struct tg_copy_clocks *started_of(const tg_thread_clocks *c, const struct tg_async_op *op)
{
    size_t at = 0;
    while (at < c->copy_count && c->copies[at].copy != op->actor) at++;
    return at < c->copy_count ? &c->copies[at] : NULL;
}

/* An op that arrives hands on what its thread knew when it started the op. */
void tg_clocks_at_barrier(tg_thread_clocks *c, const tg_machine *m, const tg_barrier_event *event)
{
    const bool arrives = event->step == TG_BARRIER_ARRIVAL;
    if (!arrives && event->step != TG_BARRIER_AWAITED) return;
    tg_known *phase = phase_of(c, event->barrier, m->chain->number, event->phase);
    const struct tg_copy_clocks *started = event->op ? started_of(c, event->op) : NULL;
    if (started && phase)
        c->is_incomplete = !join(phase, &started->known) || c->is_incomplete;
    else if (arrives)
        release(c, m->actor, phase);
    else
        acquire(c, m->actor, phase);
}

typedef struct atomic {
    tg_thread_clocks *clocks;
    const tg_access_event *event;
} atomic;

static void access_places(void *context, int64_t first, int64_t stride, int64_t count)
{
    const atomic *a = context;
    const tg_kernel *kernel = a->clocks->plan->kernel;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t element = (uint64_t)(first + i * stride);
        tg_known *place = place_of(a->clocks, element * kernel->param_count +
                                                  tg_param_owner(kernel, a->event->param));
        if (a->clocks->acquires[a->event->inst - a->clocks->plan->body.list])
            acquire(a->clocks, a->event->actor, place);
        const struct tg_inst_access *own = tg_inst_atomic(a->event->inst);
        if (!own || tg_atomic_releases(own)) release(a->clocks, a->event->actor, place);
    }
}

/* Copies that tell a semaphore are no atomics of their own: see tg_clocks_async_ends. */
void tg_clocks_atomic(tg_thread_clocks *c, const tg_access_event *event)
{
    const tg_dtype dtype = c->plan->kernel->params[event->param].array.dtype;
    if (event->kind != TG_ACCESS_ATOMIC || dtype == TG_DT_barrier) return;
    if (!tg_is_semaphore(dtype) && !c->has_atomics) return;
    atomic a = {c, event};
    tg_access_own_runs(event, access_places, &a);
}

/* Each thread takes on what all have done. */
void tg_clocks_joined(tg_thread_clocks *c, const tg_machine *m)
{
    const int64_t first = m->actor, threads = m->launch->threads;
    tg_known all = {0};
    for (int64_t actor = first; actor < first + threads; actor++) release(c, actor, &all);
    for (int64_t actor = first; actor < first + threads; actor++) acquire(c, actor, &all);
    free_known(&all);
}

/* The actor of the products of a thread. */
static int64_t engine_of(const struct tg_async_op *op) { return INT64_MIN + op->starter->actor; }

/* It takes place after those of its thread before it. */
static void follow(tg_thread_clocks *c, const struct tg_async_op *op,
                   struct tg_copy_clocks *started)
{
    const int64_t engine = engine_of(op);
    tg_known *own = thread_of(c, engine);
    if (!own) return;
    started->time = tg_clock_of(&own->done, engine);
    if (!tg_clock_note(&started->known.done, engine, started->time) ||
        !tg_clock_note(&own->done, engine, started->time + 1))
        c->is_incomplete = true;
}

/* Returns clocks that know nothing; NULL if memory runs out. */
static struct tg_copy_clocks *clocks_for_copy(tg_thread_clocks *c, int64_t copy)
{
    if (c->copy_count == c->copies_made) {
        struct tg_copy_clocks *list =
            tg_list_grow(c->copies, c->copies_made, &c->copy_room, sizeof *list);
        if (!list) {
            c->is_incomplete = true;
            return NULL;
        }
        c->copies = list;
        list[c->copies_made++] = (struct tg_copy_clocks){0};
    }
    struct tg_copy_clocks *started = &c->copies[c->copy_count++];
    clear_known(&started->known);
    started->copy = copy;
    started->time = 0;
    return started;
}

/* A copy that tells a barrier hands on through its phase. */
void tg_clocks_async_starts(tg_thread_clocks *c, const tg_machine *m, const struct tg_async_op *op)
{
    const tg_async_told told = op->inst->as.async->told;
    if (told == TG_ASYNC_TELLS_BARRIER) {
        release(c, m->actor, phase_of(c, op->signal, m->chain->number, op->phase));
        return;
    }
    struct tg_copy_clocks *started = clocks_for_copy(c, op->actor);
    if (!started) return;
    release(c, m->actor, &started->known);
    if (tg_async_is_in_order(op)) follow(c, op, started);
}

void tg_clocks_async_ends(tg_thread_clocks *c, const tg_machine *m, const struct tg_async_op *op)
{
    struct tg_copy_clocks *started = started_of(c, op);
    if (!started) return;
    acquire(c, m->actor, &started->known);
    const struct tg_copy_clocks ended = *started;
    *started = c->copies[--c->copy_count];
    c->copies[c->copy_count] = ended;
}

void tg_clocks_fence(tg_thread_clocks *c, const tg_machine *m)
{
    tg_known *own = thread_of(c, m->actor);
    if (!own) return;
    const uint32_t time = tg_clock_of(&own->done, m->actor);
    if (!tg_clock_join(&own->fenced, &own->done) || !tg_clock_note(&own->done, m->actor, time + 1))
        c->is_incomplete = true;
}

/* ---- questions ---- */

uint32_t tg_thread_time(tg_thread_clocks *c, int64_t actor)
{
    const tg_known *own = thread_of(c, actor);
    return own ? tg_clock_of(&own->done, actor) : 0;
}

bool tg_thread_knows(tg_thread_clocks *c, int64_t actor, int64_t other, uint32_t time)
{
    const tg_known *own = thread_of(c, actor);
    return !own || tg_clock_of(&own->done, other) >= time;
}

bool tg_thread_knows_fenced(tg_thread_clocks *c, int64_t actor, int64_t other, uint32_t time)
{
    const tg_known *own = thread_of(c, actor);
    return !own || tg_clock_of(&own->fenced, other) >= time;
}

void tg_async_place_in_order(const tg_thread_clocks *c, const struct tg_async_op *op,
                             int64_t *actor, uint32_t *time)
{
    const struct tg_copy_clocks *started = started_of(c, op);
    *actor = engine_of(op);
    *time = started ? started->time : 0;
}

bool tg_async_knows(const tg_thread_clocks *c, const struct tg_async_op *op, int64_t other,
                    uint32_t time)
{
    const struct tg_copy_clocks *started = started_of(c, op);
    return !started || tg_clock_of(&started->known.done, other) >= time;
}

/* ---- the whole ---- */

static void find_acquires(tg_thread_clocks *c)
{
    const tg_code *body = &c->plan->body;
    for (uint32_t i = 0; i < body->count; i++) {
        const struct tg_inst_access *own = tg_inst_atomic(&body->list[i]);
        c->acquires[i] = body->list[i].op == TG_OP_semaphore_wait;
        if (!own) continue;
        c->acquires[i] = tg_atomic_acquires(own) && tg_atomic_is_read(c->plan, &body->list[i]);
        c->has_atomics = c->has_atomics || c->acquires[i];
    }
}

bool tg_thread_clocks_init(tg_thread_clocks *c, const tg_plan *plan)
{
    if (pthread_mutex_init(&c->lock, NULL) != 0) return false;
    c->plan = plan;
    c->acquires = calloc(plan->body.count + 1, sizeof *c->acquires);
    if (c->acquires) find_acquires(c);
    return c->acquires != NULL;
}

static void free_all(tg_known *list, size_t count)
{
    for (size_t i = 0; i < count; i++) free_known(&list[i]);
    free(list);
}

static void clear(tg_thread_clocks *c)
{
    free_all(c->threads, c->thread_count);
    free_all(c->places, c->place_count);
    for (size_t i = 0; i < c->barrier_count; i++)
        for (int r = 0; r < TG_RECENT_PHASES; r++) free_known(&c->barriers[i].recent[r].known);
    free(c->barriers);
    for (size_t i = 0; i < c->copies_made; i++) free_known(&c->copies[i].known);
    free(c->copies);
    tg_number_map_free(&c->thread_numbers);
    tg_number_map_free(&c->place_numbers);
    tg_number_map_free(&c->barrier_numbers);
    c->threads = c->places = NULL;
    c->barriers = NULL;
    c->copies = NULL;
    c->thread_count = c->thread_room = c->place_count = c->place_room = 0;
    c->barrier_count = c->barrier_room = 0;
    c->copy_count = c->copies_made = c->copy_room = 0;
}

void tg_thread_clocks_begin(tg_thread_clocks *c)
{
    clear(c);
    c->is_incomplete = false;
}

void tg_thread_clocks_free(tg_thread_clocks *c)
{
    clear(c);
    free(c->acquires);
    if (c->plan) pthread_mutex_destroy(&c->lock);
}

void tg_thread_clocks_enter(tg_thread_clocks *c) { pthread_mutex_lock(&c->lock); }

void tg_thread_clocks_leave(tg_thread_clocks *c) { pthread_mutex_unlock(&c->lock); }
