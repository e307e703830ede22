/* Interleaved orders: of a few chains in flight one, chosen at random, goes on to its next visible event. */
#include <stdlib.h>

#include "interp/exec.h"
#include "interp/walk_impl.h"
#include "base/list.h"

enum { LIVE_PROGRAMS = 16 }; /* chains in flight, besides those that wait */

typedef struct crowd {
    tg_walk *walk;
    tg_flight *live;
    int count;
    size_t capacity;
    int64_t turn; /* the next chain to begin */
    tg_waiting waiting;
} crowd;

/* The first program of the next chain, on `machine`; false when none is left. */
static bool begin_chain(crowd *c, tg_machine *machine, tg_flight *f)
{
    tg_walk *w = c->walk;
    if (c->turn >= w->grid->chains) return false;
    *f = (tg_flight){.machine = machine, .turn = c->turn, .begun = c->turn};
    f->chain = tg_order_pick(w->order, c->turn++, w->grid->chains);
    machine->stops = true;
    machine->is_caller = true;
    tg_walk_start(w, machine, f->chain, 0);
    return true;
}

static bool add(crowd *c, const tg_flight *f)
{
    tg_flight *live = tg_list_grow(c->live, (size_t)c->count, &c->capacity, sizeof *live);
    if (!live) return false;
    c->live = live;
    live[c->count++] = *f;
    return true;
}

/* The program of a live chain has ended: the next one of the chain, or another chain, takes its place. */
static void replace(crowd *c, tg_flight *f, tg_step how)
{
    tg_walk *w = c->walk;
    if (tg_walk_end_program(w, f->machine, how, f->step)) {
        tg_walk_start(w, f->machine, f->chain, ++f->step);
        f->gives_way = false;
        return;
    }
    if (begin_chain(c, f->machine, f)) return;
    *f = c->live[--c->count];
}

/* It waits, or may do so, for what none of the others does. */
static bool is_stuck(const tg_flight *f) { return f->gives_way || tg_spin_waits(f->machine); }

static bool are_all_stuck(const crowd *c)
{
    for (int i = 0; i < c->count; i++)
        if (!is_stuck(&c->live[i])) return false;
    return true;
}

/* Chains whose wait is over are live again. */
static bool admit(crowd *c)
{
    tg_flight f;
    while (c->waiting.count && tg_waiting_take(&c->waiting, c->count == 0, &f))
        if (!add(c, &f)) return false;
    return true;
}

static void end_chain(void *context, tg_flight *f)
{
    crowd *c = context;
    tg_walk_end_program(c->walk, f->machine, TG_STEP_BLOCKED, f->step);
}

/* Live chains that are known to wait do so among the others that do; false without memory. */
static bool set_aside(crowd *c)
{
    const int count = c->count;
    c->count = 0;
    for (int i = 0; i < count; i++) {
        tg_flight f = c->live[i];
        if (f.gives_way) {
            c->live[c->count++] = f;
            continue;
        }
        f.known = c->turn;
        f.is_told = false;
        if (!tg_waiting_add(&c->waiting, &f)) return false;
    }
    return true;
}

/* No live chain is known to go on: others begin.  Where there are none, nobody can end the waits. */
static tg_status relieve(crowd *c)
{
    tg_flight f;
    if (!set_aside(c)) return TG_ERR_NO_MEMORY;
    for (int i = 0; i < LIVE_PROGRAMS && c->turn < c->walk->grid->chains; i++) {
        tg_machine *m = tg_walk_new_machine(c->walk);
        if (!m || !begin_chain(c, m, &f) || !add(c, &f)) return TG_ERR_NO_MEMORY;
    }
    if (c->count) return TG_OK;
    if (tg_waiting_take(&c->waiting, true, &f)) return add(c, &f) ? TG_OK : TG_ERR_NO_MEMORY;
    tg_waiting_give_up(&c->waiting, end_chain, c);
    return TG_OK;
}

/* A live chain, chosen at random, goes on to its next visible event. */
static tg_status step(crowd *c, uint64_t number)
{
    tg_walk *w = c->walk;
    tg_flight *f = &c->live[tg_random(~w->order->seed, number) % (uint64_t)c->count];
    w->launch->waiting = tg_waiting_observer(&c->waiting);
    c->waiting.running = f->begun;
    if (tg_spin_waits(f->machine)) /* its next turn changes nothing */
        return are_all_stuck(c) ? relieve(c) : TG_OK;
    const tg_step how = tg_machine_run(f->machine);
    f->gives_way = f->gives_way || how == TG_STEP_GIVING_WAY;
    const bool may_be_stuck = f->gives_way || tg_is_spinning(f->machine);
    if (how == TG_STEP_STOPPED) tg_walk_note_stopped(w, f->machine);
    if (how == TG_STEP_DONE || how == TG_STEP_BLOCKED) replace(c, f, how);
    if (!admit(c)) return TG_ERR_NO_MEMORY;
    return c->count == 0 || (may_be_stuck && are_all_stuck(c)) ? relieve(c) : TG_OK;
}

static tg_status run(crowd *c)
{
    tg_walk *w = c->walk;
    const int wanted = w->grid->chains < LIVE_PROGRAMS ? (int)w->grid->chains : LIVE_PROGRAMS;
    /* Fewer machines would be another interleaving than the seed names. */
    if (tg_walk_machines(w, wanted) < wanted) return TG_ERR_NO_MEMORY;
    for (int i = 0; i < wanted; i++) {
        tg_flight f;
        if (begin_chain(c, tg_walk_new_machine(w), &f) && !add(c, &f)) return TG_ERR_NO_MEMORY;
    }
    tg_status status = TG_OK;
    for (uint64_t n = 0; c->count > 0 && !w->is_stopped && status == TG_OK; n++)
        status = step(c, n);
    return status;
}

tg_status tg_walk_interleaved(tg_walk *w)
{
    crowd c = {.walk = w};
    const tg_status status = run(&c);
    w->launch->waiting = NULL;
    tg_waiting_free(&c.waiting);
    free(c.live);
    return status;
}
