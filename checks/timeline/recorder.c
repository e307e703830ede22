#include "checks/timeline/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "checks/timeline/places.h"
#include "interp/state/actors.h"
#include "interp/state/operand.h"
#include "interp/sync/async_op.h"
#include "report/print.h"

/* What is known of the actor that a machine runs. */
typedef struct tg_time_lane {
    tg_timeline *timeline;
    int64_t work;            /* its event WORK, while it is timeline->worker, */
    tg_time_event first;     /* and what that was when it began */
    int64_t wait;            /* its event WAIT that is not over */
    bool is_waiting;         /* there is such an event, or there was no room for it */
    bool is_loop;            /* it waits in a loop */
    const tg_inst *executed; /* the last instruction, */
    int64_t executed_at;     /* and its step */
    int64_t teller; /* the last event, by its programs or their ops, that others may wait for */
} tg_time_lane;

static void lock(tg_timeline *t) { pthread_mutex_lock(&t->lock); }
static void unlock(tg_timeline *t) { pthread_mutex_unlock(&t->lock); }

static tg_time_lane *lane_of(const tg_machine *m) { return m->own; }

/* The lane of the machine that owns the chain of `m`; all threads of the chain tell by it. */
static tg_time_lane *chain_lane(const tg_machine *m)
{
    return m->chain->machine->owns[m->own_number];
}

/* The step that is under way. */
static int64_t now(const tg_timeline *t) { return t->step ? t->step - 1 : 0; }

/* In the step `at`, unless the caller sets another time. */
static tg_time_event event_of(const tg_machine *m, tg_time_kind kind, const tg_inst *inst,
                              int64_t at)
{
    return (tg_time_event){.kind = kind,
                           .inst = inst,
                           .program = m->program_index,
                           .actor = m->actor,
                           .begin = at,
                           .end = at + 1,
                           .by = TG_TIME_NONE,
                           .place = {UINT32_MAX, -1},
                           .owner = m->chain->number,
                           .number = -1,
                           .source = {{UINT32_MAX, -1}, {UINT32_MAX, -1}},
                           .read = TG_TIME_NEVER,
                           .happened = TG_TIME_NEVER};
}

/* ---- keys of events ---- */

enum { PHASES, SEMAPHORES, OPS };

static uint64_t key_of(int family, uint64_t first, uint64_t second, uint64_t third)
{
    return tg_hash_mix(tg_hash_mix(tg_hash_mix((uint64_t)family, first), second), third);
}

static uint64_t phase_key(const int64_t *barrier, int64_t owner, uint32_t phase)
{
    return key_of(PHASES, (uintptr_t)barrier, (uint64_t)owner, phase);
}

static uint64_t semaphore_key(const int64_t *semaphore, int64_t owner)
{
    return key_of(SEMAPHORES, (uintptr_t)semaphore, (uint64_t)owner, 0);
}

static uint64_t op_key(int64_t actor) { return key_of(OPS, (uint64_t)actor, 0, 0); }

static int64_t owner_of(const tg_machine *m, uint32_t root)
{
    return root == UINT32_MAX ? m->chain->number : tg_machine_owner(m, root)->number;
}

/* ---- work ---- */

static bool is_wait(const tg_inst *inst)
{
    switch (inst->kind) {
    case TG_I_SEMAPHORE:
        return inst->op != TG_OP_semaphore_signal && inst->op != TG_OP_semaphore_read;
    case TG_I_BARRIER: return inst->op != TG_OP_barrier_arrive && !inst->as.barrier->expects;
    case TG_I_ASYNC_GROUP: return inst->as.async_group->waits;
    default: return false;
    }
}

/* Instructions that the source does not know belong to those around them. */
static bool is_same_line(const tg_machine *m, const tg_time_event *work, const tg_inst *inst)
{
    const tg_loc *locs = m->launch->plan->module->locs, *a = &locs[work->inst->loc],
                 *b = &locs[inst->loc];
    if (work->program != m->program_index || work->actor != m->actor) return false;
    if (work->inst->loc == inst->loc || !b->line) return true;
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

static void stop_work(tg_timeline *t) { t->worker = NULL; }

static void work(tg_machine *m, const tg_inst *inst)
{
    tg_time_lane *lane = lane_of(m);
    tg_timeline *t = lane->timeline;
    if (t->worker == lane && is_same_line(m, &lane->first, inst)) {
        tg_time_event *open = tg_timeline_at(t, lane->work);
        if (!open) return; /* there was no room for it */
        open->end = t->step;
        open->number++;
        return;
    }
    lane->first = event_of(m, TG_TIME_WORK, inst, now(t));
    lane->first.number = 1;
    lane->work = tg_timeline_add(t, &lane->first);
    t->worker = lane;
}

/* ---- waits ---- */

static void begin_wait(tg_machine *m, const tg_time_event *event, bool is_loop)
{
    tg_time_lane *lane = lane_of(m);
    stop_work(lane->timeline);
    lane->wait = tg_timeline_add(lane->timeline, event);
    lane->is_waiting = true;
    lane->is_loop = is_loop;
}

static void end_wait(tg_time_lane *lane, int64_t end)
{
    tg_time_event *wait = lane->is_waiting ? tg_timeline_at(lane->timeline, lane->wait) : NULL;
    if (wait) wait->end = end;
    lane->is_waiting = false;
    lane->wait = TG_TIME_NONE;
}

/* A program that waits executes its wait again when it goes on: that is the same wait. */
static void wait_by(tg_machine *m, const tg_inst *inst)
{
    if (lane_of(m)->is_waiting) return;
    tg_time_event event = event_of(m, TG_TIME_WAIT, inst, lane_of(m)->executed_at);
    event.end = TG_TIME_NEVER;
    begin_wait(m, &event, false);
}

static void set_awaited(tg_machine *m, uint32_t root, const int64_t *awaited, int64_t number,
                        int64_t by)
{
    tg_time_event *wait = tg_timeline_at(lane_of(m)->timeline, lane_of(m)->wait);
    if (!wait) return;
    wait->place = tg_time_place_of(m, root, awaited);
    wait->owner = owner_of(m, root);
    wait->number = number;
    if (wait->by == TG_TIME_NONE) wait->by = by;
}

static void waits(tg_machine *m)
{
    tg_time_lane *lane = lane_of(m);
    lock(lane->timeline);
    if (lane->is_waiting) {
        const uint32_t root = lane->executed->kind == TG_I_BARRIER
                                  ? lane->executed->as.barrier->root
                                  : lane->executed->as.semaphore->root;
        set_awaited(m, root, m->awaited.semaphore, m->awaited.wanted, TG_TIME_NONE);
    } else {
        lane->timeline->step++;
        tg_time_event event = event_of(m, TG_TIME_WAIT, lane->executed, now(lane->timeline));
        event.end = TG_TIME_NEVER;
        event.place = tg_time_place_watched(m);
        begin_wait(m, &event, true);
    }
    unlock(lane->timeline);
}

/* The event of a write that another actor's loop waits for. */
static int64_t add_write(tg_machine *waiter, const tg_access_event *write)
{
    tg_timeline *t = lane_of(waiter)->timeline;
    if (write->actor >= waiter->launch->actors) return tg_timeline_find(t, op_key(write->actor));
    tg_time_event event = event_of(waiter, TG_TIME_SIGNAL, write->inst, now(t));
    event.program = write->program_index;
    event.actor = write->actor;
    event.owner = write->chain;
    event.place = tg_time_place_at(waiter, write->data + write->first * (int64_t)write->width);
    return tg_timeline_add(t, &event);
}

/* The raise that has made the semaphore great enough; TG_TIME_NONE: it was already, or the raise is not
 * known. */
static int64_t raise_that_ends(const tg_machine *m, const tg_time_event *wait)
{
    const tg_timeline *t = lane_of(m)->timeline;
    const int64_t by = tg_timeline_find(t, semaphore_key(m->awaited.semaphore, wait->owner));
    const tg_time_event *raise = tg_timeline_at(t, by);
    if (!raise || *m->awaited.semaphore - raise->number >= m->awaited.wanted) return TG_TIME_NONE;
    return by;
}

/* Another one may have been faster after an earlier raise, so the last raise that was needed counts.
 * Barriers are looked up when their wait is over. */
static void awaited_written(tg_machine *m, const tg_access_event *write)
{
    tg_time_lane *lane = lane_of(m);
    tg_timeline *t = lane->timeline;
    lock(t);
    tg_time_event *wait = tg_timeline_at(t, lane->wait);
    if (wait && m->wait->is_over(m)) {
        int64_t by = TG_TIME_NONE;
        if (lane->is_loop && wait->by == TG_TIME_NONE)
            by = add_write(m, write);
        else if (wait->inst->kind == TG_I_SEMAPHORE)
            by = raise_that_ends(m, wait);
        if (by != TG_TIME_NONE)
            tg_timeline_at(t, lane->wait)->by = by; /* the list may have moved */
    }
    unlock(t);
}

/* ---- instructions ---- */

static tg_view printed_view(const void *context, const struct tg_inst_print *print, uint32_t i)
{
    return tg_operand_view(context, &print->in[i]);
}

static void add_print(tg_machine *m, const tg_inst *inst)
{
    tg_timeline *t = lane_of(m)->timeline;
    tg_time_event event = event_of(m, TG_TIME_PRINT, inst, lane_of(m)->executed_at);
    event.text = tg_print_values(inst->as.print, printed_view, m, "");
    if (event.text)
        tg_timeline_add(t, &event);
    else
        t->is_incomplete = true;
}

static void before(tg_machine *m, const tg_inst *inst)
{
    tg_time_lane *lane = lane_of(m);
    tg_timeline *t = lane->timeline;
    lock(t);
    const int64_t step = t->step++;
    if (lane->is_loop) end_wait(lane, step);
    lane->is_loop = false;
    lane->executed = inst;
    lane->executed_at = step;
    if (is_wait(inst))
        wait_by(m, inst);
    else
        work(m, inst);
    if (inst->kind == TG_I_PRINT) add_print(m, inst);
    unlock(t);
}

static void after(tg_machine *m, const tg_inst *inst)
{
    tg_time_lane *lane = lane_of(m);
    if (!is_wait(inst)) return;
    lock(lane->timeline);
    end_wait(lane, lane->timeline->step);
    unlock(lane->timeline);
}

static void chain_begins(tg_machine *m)
{
    tg_time_lane *lane = lane_of(m);
    lock(lane->timeline);
    if (lane->timeline->worker == lane) stop_work(lane->timeline);
    *lane = (tg_time_lane){.timeline = lane->timeline,
                           .work = TG_TIME_NONE,
                           .wait = TG_TIME_NONE,
                           .teller = TG_TIME_NONE};
    unlock(lane->timeline);
}

/* ---- ops beside the programs ---- */

static void async_starts(tg_machine *m, const tg_async_op *op)
{
    tg_timeline *t = lane_of(m)->timeline;
    lock(t);
    tg_time_event event = event_of(m, TG_TIME_ASYNC, op->inst, lane_of(m)->executed_at);
    event.end = TG_TIME_NEVER;
    if (op->inst->kind == TG_I_DMA) event.number = op->bytes;
    tg_time_places_of(m, op, &event);
    tg_timeline_know(t, op_key(op->actor), tg_timeline_add(t, &event));
    unlock(t);
}

/* A moment of an op is a step of its own. */
static void happens(tg_machine *m, const tg_async_op *op, bool only_reads)
{
    tg_timeline *t = lane_of(m)->timeline;
    lock(t);
    const int64_t step = t->step++, number = tg_timeline_find(t, op_key(op->actor));
    tg_time_event *event = tg_timeline_at(t, number);
    chain_lane(m)->teller = number;
    if (event) *(only_reads ? &event->read : &event->happened) = step;
    unlock(t);
}

static void async_happens(tg_machine *m, const tg_async_op *op)
{
    happens(m, op, op->stage == TG_ASYNC_HAS_READ);
}

static void async_writes(tg_machine *m, const tg_async_op *op) { happens(m, op, false); }

/* Of the ops that a wait for groups makes sure of, the last one to take place has ended it. */
static void end_group_wait(tg_time_lane *lane, int64_t number)
{
    const tg_timeline *t = lane->timeline;
    const tg_time_event *op = tg_timeline_at(t, number);
    tg_time_event *wait = tg_timeline_at(t, lane->wait);
    if (!op || !wait || wait->inst->kind != TG_I_ASYNC_GROUP) return;
    const bool reads = wait->inst->as.async_group->reads;
    const tg_time_event *last = tg_timeline_at(t, wait->by);
    if (!last || (reads ? op->read > last->read : op->happened > last->happened)) wait->by = number;
}

static void async_ends(tg_machine *m, const tg_async_op *op)
{
    tg_timeline *t = lane_of(m)->timeline;
    lock(t);
    const int64_t number = tg_timeline_find(t, op_key(op->actor));
    tg_time_event *event = tg_timeline_at(t, number);
    if (event) event->end = t->step;
    end_group_wait(lane_of(m), number);
    unlock(t);
}

static void async_has_read(tg_machine *m, const tg_async_op *op)
{
    tg_timeline *t = lane_of(m)->timeline;
    lock(t);
    end_group_wait(lane_of(m), tg_timeline_find(t, op_key(op->actor)));
    unlock(t);
}

/* ---- barriers and semaphores ---- */

static void add_arrival(tg_machine *m, const tg_barrier_event *at)
{
    tg_time_event event = event_of(m, TG_TIME_SIGNAL, at->inst, lane_of(m)->executed_at);
    event.place = tg_time_place_of(m, at->param, at->barrier);
    event.owner = owner_of(m, at->param);
    event.number = at->phase;
    chain_lane(m)->teller = tg_timeline_add(lane_of(m)->timeline, &event);
}

static void add_phase(tg_machine *m, const tg_barrier_event *at)
{
    tg_timeline *t = lane_of(m)->timeline;
    tg_time_event event = event_of(m, TG_TIME_PHASE, at->inst, now(t));
    event.place = tg_time_place_of(m, at->param, at->barrier);
    event.owner = owner_of(m, at->param);
    event.number = at->phase;
    event.by = chain_lane(m)->teller;
    tg_timeline_know(t, phase_key(at->barrier, event.owner, at->phase), event.by);
    tg_timeline_add(t, &event);
}

/* An arrival behind products is an op, which has an event of its own. */
static void at_barrier(tg_machine *m, const tg_barrier_event *at)
{
    tg_timeline *t = lane_of(m)->timeline;
    lock(t);
    switch (at->step) {
    case TG_BARRIER_ARRIVAL:
    case TG_BARRIER_EXPECTED:
        if (at->inst->kind == TG_I_BARRIER) add_arrival(m, at);
        break;
    case TG_BARRIER_COMPLETED: add_phase(m, at); break;
    case TG_BARRIER_AWAITED:
        set_awaited(m, at->param, at->barrier, at->phase,
                    tg_timeline_find(t, phase_key(at->barrier, owner_of(m, at->param), at->phase)));
        break;
    case TG_BARRIER_FOLLOWED: break;
    }
    unlock(t);
}

/* A copy that raises a semaphore has an event of its own. */
static int64_t add_signal(tg_machine *m, const tg_semaphore_event *at)
{
    if (at->inst->kind == TG_I_DMA) return chain_lane(m)->teller;
    tg_time_event event = event_of(m, TG_TIME_SIGNAL, at->inst, lane_of(m)->executed_at);
    event.place = tg_time_place_in(m, at->owner, at->param, at->semaphore);
    event.owner = at->owner->number;
    event.number = at->amount;
    return tg_timeline_add(lane_of(m)->timeline, &event);
}

static void at_semaphore(tg_machine *m, const tg_semaphore_event *at)
{
    tg_timeline *t = lane_of(m)->timeline;
    const uint64_t key = semaphore_key(at->semaphore, at->owner->number);
    lock(t);
    if (at->is_raised) {
        const int64_t raise = add_signal(m, at);
        if (at->amount > 0) tg_timeline_know(t, key, raise);
    } else
        set_awaited(m, at->param, at->semaphore, at->amount, tg_timeline_find(t, key));
    unlock(t);
}

/* ---- the detector ---- */

static bool attach(void *state, tg_machine *m, void **own)
{
    tg_time_lane *lane = calloc(1, sizeof *lane);
    (void)m;
    *own = lane;
    if (!lane) return false;
    *lane = (tg_time_lane){
        .timeline = state, .work = TG_TIME_NONE, .wait = TG_TIME_NONE, .teller = TG_TIME_NONE};
    return true;
}

static const tg_detector recorder = {.attach = attach,
                                     .detach = free,
                                     .chain_begins = chain_begins,
                                     .before = before,
                                     .after = after,
                                     .async_starts = async_starts,
                                     .async_happens = async_happens,
                                     .async_writes = async_writes,
                                     .async_ends = async_ends,
                                     .async_has_read = async_has_read,
                                     .at_barrier = at_barrier,
                                     .at_semaphore = at_semaphore,
                                     .waits = waits,
                                     .awaited_written = awaited_written};

tg_added_detector tg_timeline_detector(tg_timeline *timeline)
{
    return (tg_added_detector){&recorder, timeline};
}
