/* Races between programs of a grid: two programs that nothing orders access the same element, and
 * at least one writes it.
 *
 * Programs of one chain run in order (interp/state/order.h).  Nothing orders programs of different
 * chains, whatever the order of the run.  So a run in any order shows every race of that launch:
 * the result depends only on who accessed what.
 *
 * Two atomics do not conflict with each other, unless they have different widths or one is none for other
 * programs.  But if the target is a TPU, add_update is not atomic: it reads, and then writes. */
#define _XOPEN_SOURCE 700 /* PTHREAD_MUTEX_RECURSIVE */
#include <stdlib.h>
#include <string.h>

#include "checks/checks.h"
#include "checks/races/promises.h"
#include "checks/races/report.h"
#include "checks/races/scratch.h"
#include "checks/races/state.h"
#include "checks/races/values.h"
#include "checks/rounding.h"
#include "checks/access_box.h"
#include "interp/sync/async_op.h"
#include "interp/state/actors.h"
#include "interp/state/machine.h"

static tg_race_kind kind_of(const tg_access_event *event)
{
    const bool is_atomic = event->kind == TG_ACCESS_ATOMIC || tg_inst_atomic(event->inst);
    if (event->kind == TG_ACCESS_READ) return is_atomic ? TG_RACE_ATOMIC_READ : TG_RACE_READ;
    return is_atomic ? TG_RACE_ATOMIC : TG_RACE_WRITE;
}

/* ---- watched memory ---- */

static void note_width(tg_races *races, const tg_access_plan *a)
{
    if (a->root == UINT32_MAX) return;
    tg_race_memory *m = &races->memories[tg_param_owner(races->plan->kernel, a->root)];
    if (tg_dtypes[a->dtype].bytes < m->width) m->width = tg_dtypes[a->dtype].bytes;
}

/* Only one thread uses scratch, unless a chain has several. */
static bool is_watched(const tg_plan *plan, uint32_t p)
{
    const tg_param *param = &plan->kernel->params[p];
    if (tg_is_semaphore(param->array.dtype)) return false;
    return plan->is_written[p] && (param->role != TG_ROLE_SCRATCH || plan->has_threads);
}

static void find_memories(tg_races *races)
{
    const tg_plan *plan = races->plan;
    const tg_kernel *k = plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++) {
        tg_race_memory *m = &races->memories[p];
        m->same_as = tg_param_owner(k, p);
        m->is_watched = is_watched(plan, p);
        m->width = tg_dtypes[k->params[p].array.dtype].bytes;
    }
    for (uint32_t c = 0; c < tg_race_code_count(plan); c++)
        for (uint32_t i = 0; i < tg_race_code(plan, c)->count; i++) {
            const tg_access_plan *access = tg_inst_accesses(&tg_race_code(plan, c)->list[i]);
            if (access) note_width(races, access);
        }
    for (uint32_t p = 0; p < k->param_count; p++) {
        tg_race_memory *m = &races->memories[p];
        const tg_type *array = &k->params[p].array;
        m->count = tg_type_count(array) * (int64_t)(tg_dtypes[array->dtype].bytes / m->width);
        const uint64_t end = (uint64_t)m->count * k->param_count;
        if (end > races->place_count) races->place_count = end;
    }
}

/* ---- which atomics acquire ---- */

/* Returns whether the atomic takes on what other programs or threads have handed on. */
static bool acquires(const tg_plan *plan, const tg_inst *inst, const struct tg_inst_access *atomic)
{
    if (atomic->scope == TG_SCOPE_CTA && !plan->has_threads) return false;
    return tg_atomic_acquires(atomic) && tg_atomic_is_read(plan, inst);
}

static bool find_acquires(tg_races *races)
{
    const tg_plan *plan = races->plan;
    const tg_code *body = &plan->body;
    races->acquires = calloc(body->count + 1, sizeof *races->acquires);
    for (uint32_t i = 0; races->acquires && i < body->count; i++) {
        const struct tg_inst_access *atomic = tg_inst_atomic(&body->list[i]);
        races->acquires[i] = atomic ? acquires(plan, &body->list[i], atomic)
                                    : body->list[i].op == TG_OP_semaphore_wait ||
                                          body->list[i].op == TG_OP_barrier_wait;
        races->is_ordered = races->is_ordered || (atomic && races->acquires[i]);
        races->has_narrow = races->has_narrow || (atomic && atomic->scope == TG_SCOPE_CTA);
    }
    races->is_ordered = races->is_ordered || plan->is_coupled || plan->has_threads;
    races->has_narrow = races->has_narrow && plan->has_threads;
    return races->acquires != NULL;
}

/* ---- setup and cleanup ---- */

static bool init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t recursive;
    if (pthread_mutexattr_init(&recursive) != 0) return false;
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    const bool is_made = pthread_mutex_init(lock, &recursive) == 0;
    pthread_mutexattr_destroy(&recursive);
    return is_made;
}

static void clear(tg_races *races)
{
    for (uint32_t p = 0; races->memories && p < races->plan->kernel->param_count; p++)
        tg_plane_free(&races->memories[p].plane);
    tg_access_sets_free(&races->sets);
    tg_sync_free(&races->sync);
    tg_actor_numbers_free(&races->elsewhere);
    tg_race_promises_free(races);
    tg_race_scratch_free(races);
    races->snapshot_count = races->byte_count = 0;
}

static void free_races(void *state)
{
    tg_races *races = state;
    clear(races);
    pthread_mutex_destroy(&races->lock);
    free(races->snapshots);
    free(races->bytes);
    free(races->acquires);
    free(races->memories);
    free(races);
}

static bool make(const tg_launch *launch, void **state)
{
    tg_races *races = calloc(1, sizeof *races);
    if (!races) return false;
    if (!init_lock(&races->lock)) {
        free(races);
        return false;
    }
    races->plan = launch->plan;
    races->adds_at_once = tg_setting_adds_at_once(&launch->setting);
    races->memories = calloc(races->plan->kernel->param_count + 1, sizeof *races->memories);
    if (!races->memories || !find_acquires(races)) {
        free_races(races);
        return false;
    }
    find_memories(races);
    *state = races;
    return true;
}

static bool is_scratch(const tg_races *races, uint32_t param)
{
    return races->plan->kernel->params[param].role == TG_ROLE_SCRATCH;
}

/* Starts a run: no place has been accessed. */
static bool begin(void *state, const tg_run_begin *run)
{
    tg_races *races = state;
    const tg_grid *grid = run->grid;
    clear(races);
    races->grid = *grid;
    races->sync.actor_numbers.programs = races->sync.writer_numbers.programs =
        races->elsewhere.programs = tg_actor_count(grid);
    races->has_actors = tg_actor_count(grid) > 1;
    races->is_shared = run->is_shared;
    races->is_incomplete = false;
    if (!races->has_actors) return true;
    races->assumed = tg_grid_assumed(grid, races->plan->kernel);
    if (!tg_access_sets_init(&races->sets, races->assumed ? &races->grid : NULL)) return false;
    for (uint32_t p = 0; p < races->plan->kernel->param_count; p++) {
        tg_race_memory *m = &races->memories[p];
        if (m->is_watched && m->same_as == p && !is_scratch(races, p) &&
            !tg_plane_init(&m->plane, m->count,
                           tg_plane_run_of(&races->plan->kernel->params[p], m->width), 0))
            return false;
    }
    return true;
}

/* ---- accesses ---- */

/* Returns whether the current instruction acquires; those of index maps do not. */
static bool takes_on(const tg_races *races)
{
    const tg_code *body = &races->plan->body;
    const int64_t at = races->event->inst - body->list;
    return at >= 0 && at < (int64_t)body->count && races->acquires[at];
}

/* Returns whether the current access is by an atomic that acquires what `done`, an atomic on its place, has
 * released.  A program that waits in a loop makes very many of these. */
static bool acquires_here(const tg_races *races, const tg_race_access *done)
{
    const struct tg_inst_access *now = tg_inst_atomic(races->event->inst);
    if (!now || !takes_on(races) || tg_race_kind_of(done->site) != TG_RACE_ATOMIC ||
        races->at->width != races->event->width)
        return false;
    const struct tg_inst_access *then = tg_inst_atomic(tg_race_inst(races->plan, done->site));
    return then && tg_atomic_releases(then) && now->scope != TG_SCOPE_CTA &&
           then->scope != TG_SCOPE_CTA;
}

/* Whether it is a copy among products: that may write before those that it comes behind are done. */
static bool writes_ahead(const tg_inst *inst)
{
    return inst->kind == TG_I_DMA && inst->as.async->engine == TG_ENGINE_PRODUCTS;
}

static bool knows(tg_races *races, const tg_race_access *access, const tg_race_access *done)
{
    const bool is_ahead = races->event->kind != TG_ACCESS_READ && writes_ahead(races->event->inst);
    return tg_sync_knows(&races->sync, is_ahead ? tg_sync_writer_of(access->actor) : access->actor,
                         done->actor, done->epoch);
}

static bool is_one_program(const tg_races *races, const tg_race_access *a, const tg_race_access *b)
{
    return tg_actor_chain(a->actor, &races->grid) == tg_actor_chain(b->actor, &races->grid);
}

/* Returns whether the later access may rely on the earlier one. */
static bool is_ordered(tg_races *races, const tg_race_access *access, const tg_race_access *done)
{
    if (done->actor == access->actor || acquires_here(races, done)) return true;
    return (is_scratch(races, races->event->param) && !is_one_program(races, access, done)) ||
           knows(races, access, done);
}

/* A copy and the thread that started it, or two copies that one thread started: checks/in_flight.c reports these,
 * as long as no other thread has waited for it. */
static bool is_in_flight(const tg_races *races, const tg_race_access *access,
                         const tg_race_access *done)
{
    const int64_t actors = tg_actor_count(&races->grid);
    return tg_actor_starter(access->actor, actors) == tg_actor_starter(done->actor, actors) &&
           tg_actor_numbers_get(&races->elsewhere, done->actor) == UINT32_MAX;
}

static tg_race_relation relate(void *context, const tg_race_access *access,
                               const tg_race_access *done)
{
    tg_races *races = context;
    if (is_ordered(races, access, done))
        return tg_sites_subsume(races->plan, access->site, done->site) ? TG_RACE_REPLACED
                                                                       : TG_RACE_KEPT;
    if (tg_race_relies_on_promise(races, access, done)) return TG_RACE_KEPT;
    const bool conflict = tg_sites_conflict(races->plan, done->site, access->site,
                                            is_one_program(races, access, done));
    return conflict && !is_in_flight(races, access, done) ? TG_RACE_CONFLICT : TG_RACE_KEPT;
}

static uint32_t accessed_places(void *context, uint32_t set, int64_t first, int64_t count)
{
    tg_races *races = context;
    struct tg_race_known *known = tg_race_known_of(races, set);
    (void)first;
    (void)count;
    if (!known->to)
        known->to = races->is_ordered ? tg_access_sets_add_ordered(&races->sets, set,
                                                                   &races->access, relate, races)
                                      : tg_access_sets_add(&races->sets, set, &races->access);
    return known->to;
}

static void access_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    tg_races *races = context;
    tg_plane_update_strided(&races->at->plane, first, stride, count, accessed_places, races);
}

/* Returns the access of the current event if that is by an atomic on memory, or one on a semaphore or barrier. */
static const struct tg_inst_access *atomic_here(const tg_races *races)
{
    return tg_inst_atomic(races->event->inst);
}

/* Whether what the actor has done is handed on now.  A compare-and-swap tells behind its step whether it has
 * written. */
static bool releases_now(const tg_races *races)
{
    const struct tg_inst_access *atomic = atomic_here(races);
    if (!atomic) return races->event->inst->op != TG_OP_barrier_wait;
    if (!tg_atomic_releases(atomic)) return false;
    const unsigned when = races->event->inst->op == TG_OP_atomic_cas
                              ? TG_ACCESS_UPDATED | TG_ACCESS_KEPT
                              : TG_ACCESS_ATOMIC | TG_ACCESS_WRITE;
    return (races->event->kind & when) != 0;
}

static void synchronise_at(tg_races *races, uint64_t place)
{
    const tg_access_event *event = races->event;
    if (takes_on(races) && event->kind & (TG_ACCESS_ATOMIC | TG_ACCESS_READ))
        tg_sync_acquire(&races->sync, place, event->actor);
    if (event->kind == TG_ACCESS_WRITE) tg_sync_overwrite(&races->sync, place, event->actor);
    if (releases_now(races)) tg_sync_release(&races->sync, place, event->actor);
}

/* Returns whether the atomic is one for other programs. */
static bool is_seen_by_all(const struct tg_inst_access *atomic)
{
    return !atomic || atomic->scope != TG_SCOPE_CTA;
}

/* A place of its own for the threads of a program: there also atomics meet that are none for other programs. */
static const uint64_t FIRST_OF_PROGRAMS = (uint64_t)1 << 62;

static uint64_t place_of_program(const tg_races *races, uint64_t place)
{
    const uint64_t chain = (uint64_t)tg_actor_chain(races->event->actor, &races->grid);
    return FIRST_OF_PROGRAMS + chain * races->place_count + place;
}

/* The atomic may release what its actor has done, and may acquire. */
static void synchronise(void *context, int64_t first, int64_t stride, int64_t count)
{
    tg_races *races = context;
    const uint32_t params = races->plan->kernel->param_count;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t place = (uint64_t)(first + i * stride) * params + races->at->same_as;
        if (is_seen_by_all(atomic_here(races))) synchronise_at(races, place);
        if (races->has_narrow && atomic_here(races))
            synchronise_at(races, place_of_program(races, place));
    }
}

static void look_at_as(tg_races *races, const tg_access_event *event, tg_race_kind kind)
{
    races->access =
        (tg_race_access){.site = tg_race_site(races->plan, event->inst, kind),
                         .epoch = races->is_ordered ? tg_sync_epoch(&races->sync, event->actor) : 0,
                         .actor = races->is_ordered ? event->actor : event->chain,
                         .program = event->program_index};
    memset(races->known, 0, sizeof races->known);
    if (event->width != races->at->width) {
        tg_access_runs(event, races->at->width, access_run, races);
        return;
    }
    const tg_plane_box box = tg_access_box(event);
    tg_plane_update_box(&races->at->plane, &box, accessed_places, races);
}

enum { AFTER_ATOMIC = TG_ACCESS_UPDATED | TG_ACCESS_KEPT };

static void look_at(tg_races *races, const tg_access_event *event)
{
    races->event = event;
    races->at = is_scratch(races, event->param)
                    ? tg_race_scratch_of(races, event)
                    : &races->memories[races->memories[event->param].same_as];
    if (!races->at) return;
    if (event->kind == TG_ACCESS_INTENT) {
        tg_races_before_write(races, event);
        return;
    }
    if (event->kind & AFTER_ATOMIC) {
        if (races->is_ordered && event->inst->op == TG_OP_atomic_cas)
            tg_access_runs(event, races->at->width, synchronise, races);
        return;
    }
    if (!races->adds_at_once && event->inst->op == TG_OP_add_update) {
        look_at_as(races, event, TG_RACE_READ);
        look_at_as(races, event, TG_RACE_WRITE);
        return;
    }
    look_at_as(races, event, kind_of(event));
    if (event->kind == TG_ACCESS_WRITE && races->snapshot_count) tg_races_compare(races);
    if ((event->kind == TG_ACCESS_ATOMIC || atomic_here(races)) && races->is_ordered)
        tg_access_runs(event, races->at->width, synchronise, races);
}

/* Returns whether the memory is a semaphore that others may signal, or a barrier: these order
 * programs, and are not memory that programs read. */
static bool is_signal(const tg_races *races, const tg_access_event *event)
{
    return tg_is_semaphore(races->plan->kernel->params[event->param].array.dtype);
}

static void signalled(tg_races *races, const tg_access_event *event)
{
    if (races->is_shared) pthread_mutex_lock(&races->lock);
    races->event = event;
    races->at = &races->memories[event->param];
    synchronise(races, event->first, 1, 1);
    if (races->is_shared) pthread_mutex_unlock(&races->lock);
}

/* ---- threads ---- */

/* Each thread acquires what all have done. */
static void threads_joined(tg_machine *m)
{
    tg_races *races = m->own;
    const int64_t threads = races->grid.threads, first = m->actor;
    const uint64_t place = UINT64_MAX - (uint64_t)m->chain->number; /* that no atomic has */
    if (races->is_shared) pthread_mutex_lock(&races->lock);
    for (int64_t actor = first; actor < first + threads; actor++)
        tg_sync_release(&races->sync, place, actor);
    for (int64_t actor = first; actor < first + threads; actor++)
        tg_sync_acquire(&races->sync, place, actor);
    if (races->is_shared) pthread_mutex_unlock(&races->lock);
}

/* ---- copies ---- */

/* A copy may write only when it has read its source, and who knows of the one need not know of the other: what it
 * has done by then has a place of its own. */

static void hand_on(const tg_machine *m, const tg_async_op *copy, int64_t from, int64_t to)
{
    tg_races *races = m->own;
    if (!races->has_actors || !races->is_ordered) return;
    if (races->is_shared) pthread_mutex_lock(&races->lock);
    tg_sync_release_op(&races->sync, copy->actor, TG_SYNC_OP, from);
    tg_sync_acquire_op(&races->sync, copy->actor, TG_SYNC_OP, to);
    if (races->is_shared) pthread_mutex_unlock(&races->lock);
}

static void async_starts(tg_machine *m, const tg_async_op *copy)
{
    hand_on(m, copy, m->actor, copy->actor);
    /* What writes for such a copy knows what the starter knew. */
    if (writes_ahead(copy->inst)) hand_on(m, copy, m->actor, tg_sync_writer_of(copy->actor));
}

/* An op knows what the one before it has done, and those of other threads that it comes behind: they have
 * taken place. */
static void async_follows(tg_machine *m, const tg_async_op *op)
{
    if (op->follows) hand_on(m, op, op->follows, op->actor);
    for (int64_t t = 0; op->behind && t < m->launch->threads; t++)
        if (op->behind[t]) hand_on(m, op, op->behind[t], op->actor);
}

static void async_happens(tg_machine *m, const tg_async_op *copy)
{
    tg_races *races = m->own;
    if (!races->has_actors || !races->is_ordered || !tg_async_is_of_group(copy)) return;
    if (races->is_shared) pthread_mutex_lock(&races->lock);
    tg_sync_release_op(&races->sync, copy->actor, TG_SYNC_OP_READ, copy->actor);
    if (races->is_shared) pthread_mutex_unlock(&races->lock);
}

static void source_is_known(const tg_machine *m, const tg_async_op *copy)
{
    tg_races *races = m->own;
    if (!races->has_actors || !races->is_ordered) return;
    if (races->is_shared) pthread_mutex_lock(&races->lock);
    tg_sync_acquire_op(&races->sync, copy->actor, TG_SYNC_OP_READ, m->actor);
    if (races->is_shared) pthread_mutex_unlock(&races->lock);
}

/* A thread that has not started the op may be sure of it, and its starter not. */
static void note_elsewhere(tg_races *races, const tg_machine *m, const tg_async_op *op)
{
    if (op->starter != m && !tg_actor_numbers_put(&races->elsewhere, op->actor, 0))
        races->is_incomplete = true;
}

/* The program is sure of what the op has done. */
static void op_is_known(tg_machine *m, const tg_async_op *copy)
{
    tg_races *races = m->own;
    hand_on(m, copy, copy->actor, m->actor);
    if (!races->has_actors || !races->is_ordered) return;
    if (races->is_shared) pthread_mutex_lock(&races->lock);
    note_elsewhere(races, m, copy);
    if (races->is_shared) pthread_mutex_unlock(&races->lock);
}

static void async_has_read(tg_machine *m, const tg_async_op *op)
{
    if (tg_async_is_in_order(op))
        op_is_known(m, op);
    else
        source_is_known(m, op);
}

static void async_promised(tg_machine *m, const tg_async_op *op)
{
    tg_races *races = m->own;
    if (!races->has_actors || !races->is_ordered) return;
    if (races->is_shared) pthread_mutex_lock(&races->lock);
    tg_race_promised(races, op->actor, m->actor, op->behind || op->follows);
    note_elsewhere(races, m, op);
    if (races->is_shared) pthread_mutex_unlock(&races->lock);
}

/* ---- the detector ---- */

static void accessed(void *context, const tg_access_event *event)
{
    tg_races *races = context;
    if (races->has_actors && is_signal(races, event)) signalled(races, event);
    if (!races->has_actors || !races->memories[event->param].is_watched) return;
    if (races->is_shared) pthread_mutex_lock(&races->lock);
    look_at(races, event);
    if (!races->is_shared || event->kind == TG_ACCESS_INTENT)
        return; /* a TG_RACE_WRITE will follow */
    if (event->kind == TG_ACCESS_WRITE) pthread_mutex_unlock(&races->lock);
    pthread_mutex_unlock(&races->lock);
}

const tg_detector tg_detector_races = {.checks = TG_CHECK_RACES,
                                       .accesses = TG_ACCESS_READ | TG_ACCESS_WRITE |
                                                   TG_ACCESS_ATOMIC | TG_ACCESS_INTENT |
                                                   AFTER_ATOMIC,
                                       .make = make,
                                       .free = free_races,
                                       .begin = begin,
                                       .accessed = accessed,
                                       .threads_joined = threads_joined,
                                       .async_starts = async_starts,
                                       .async_follows = async_follows,
                                       .async_happens = async_happens,
                                       .async_ends = op_is_known,
                                       .async_has_read = async_has_read,
                                       .async_promised = async_promised,
                                       .report = tg_races_report};
