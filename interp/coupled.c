/* Chains that signal each other's semaphores.
 *
 * One machine runs at a time, to where it must wait for another chain: in most orders that is the first one, as the order has
 * them, that can go on; interleaved, any one, up to its next visible event.  Where none can go on all that wait do so
 * forever, and each of them says so.  Scratch lives until all chains have ended, as others may signal what is in it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "interp/dma.h"
#include "interp/exec.h"
#include "interp/program.h"
#include "interp/walk_impl.h"

typedef struct core {
    tg_machine *machine;
    int64_t chain, step;
    bool has_ended;
} core;

typedef struct cores {
    core *list; /* as the order has the chains */
    int count, running;
    tg_machine **machines; /* by chain */
} cores;

/* Every scratch must be there before any program runs. */
static tg_status begin(tg_walk *w, cores *all)
{
    int64_t *order = NULL;
    if (tg_walk_machines(w, all->count) < all->count) return TG_ERR_NO_MEMORY;
    if (tg_order_is_listed(w->order) && !(order = tg_order_list(w->order, all->count)))
        return TG_ERR_NO_MEMORY;
    for (int i = 0; i < all->count; i++) {
        core *c = &all->list[i];
        c->machine = w->machines->list[i];
        c->chain = order ? order[i] : tg_order_pick(w->order, i, all->count);
        c->machine->stops = w->order->kind == TG_ORDER_INTERLEAVED;
        c->machine->is_caller = true;
        c->machine->is_waiting = c->machine->is_forsaken = false;
        all->machines[c->chain] = c->machine;
    }
    free(order);
    w->launch->chains = all->machines;
    w->launch->chain_count = all->count;
    for (int i = 0; i < all->count; i++)
        tg_walk_start(w, all->list[i].machine, all->list[i].chain, 0);
    return TG_OK;
}

static bool can_run(const core *c)
{
    assert(c->machine); /* since `begin` */
    return !c->has_ended && !c->machine->is_waiting && !tg_spin_waits(c->machine);
}

/* The next to run, number `turn` of all; NULL where none can go on. */
static core *next_core(const tg_walk *w, const cores *all, uint64_t turn)
{
    int able = 0;
    for (int i = 0; i < all->count; i++) able += can_run(&all->list[i]);
    if (!able) return NULL;
    int which = w->order->kind == TG_ORDER_INTERLEAVED
                    ? (int)(tg_random(~w->order->seed, turn) % (uint64_t)able)
                    : 0;
    for (int i = 0;; i++)
        if (can_run(&all->list[i]) && which-- == 0) return &all->list[i];
}

static void end(cores *all, core *c)
{
    c->has_ended = true;
    all->running--;
}

/* It comes after the others from now on. */
static void move_back(cores *all, core *c)
{
    const core moved = *c;
    core *const last = &all->list[all->count - 1];
    memmove(c, c + 1, (size_t)(last - c) * sizeof *c);
    *last = moved;
}

static void run_core(tg_walk *w, cores *all, core *c)
{
    tg_spin_go_on(c->machine);
    switch (tg_machine_run(c->machine)) {
    case TG_STEP_STOPPED:
        tg_walk_note_stopped(w, c->machine);
        end(all, c);
        return;
    case TG_STEP_BLOCKED: end(all, c); return;
    case TG_STEP_DONE:
        tg_walk_count(w, true);
        if (++c->step < w->grid->steps)
            tg_walk_start(w, c->machine, c->chain, c->step);
        else
            end(all, c);
        return;
    case TG_STEP_GIVING_WAY: move_back(all, c); return;
    default: return;
    }
}

/* Nobody can go on: who waits says so and ends. */
static void forsake(cores *all)
{
    for (int i = 0; i < all->count; i++) {
        tg_machine *m = all->list[i].machine;
        if (all->list[i].has_ended) continue;
        m->is_forsaken = true;
        m->is_waiting = false;
        if (!tg_is_spinning(m)) continue;
        tg_spin_report(m, NULL, 0);
        end(all, &all->list[i]);
    }
}

static void finish(cores *all)
{
    for (int i = 0; i < all->count; i++) {
        tg_machine *m = all->list[i].machine;
        if (m->is_forsaken)
            tg_dma_finish(m, false);
        else
            tg_machine_finish_scratch(m);
    }
}

static void run(tg_walk *w, cores *all)
{
    for (uint64_t turn = 0; all->running > 0 && !w->is_stopped; turn++) {
        core *c = next_core(w, all, turn);
        if (c)
            run_core(w, all, c);
        else
            forsake(all);
    }
    if (!w->is_stopped) finish(all);
}

tg_status tg_walk_coupled(tg_walk *w)
{
    const size_t count = (size_t)w->grid->chains;
    cores all = {.list = calloc(count + 1, sizeof *all.list),
                 .count = (int)count,
                 .running = (int)count,
                 .machines = calloc(count + 1, sizeof *all.machines)};
    tg_status status = all.list && all.machines ? begin(w, &all) : TG_ERR_NO_MEMORY;
    if (status == TG_OK) run(w, &all);
    w->launch->chains = NULL;
    free(all.list);
    free(all.machines);
    return status;
}
