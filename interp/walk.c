#define _POSIX_C_SOURCE 200809L /* clock_gettime, nanosleep */
#include "interp/dma.h"
#include "interp/exec.h"
#include "interp/program.h"
#include "interp/storage.h"
#include "interp/walk_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/panels.h"
#include "interp/patience.h"
#include "base/list.h"

/* ---- machines ---- */

void tg_machines_free(tg_machines *machines)
{
    for (int i = 0; i < machines->count; i++) tg_machine_free(machines->list[i]);
    free(machines->list);
    *machines = (tg_machines){0};
}

bool tg_machines_add(tg_machines *machines, tg_machine *m)
{
    tg_machine **list =
        tg_list_grow(machines->list, (size_t)machines->count, &machines->capacity, sizeof *list);
    if (!list) return false;
    machines->list = list;
    list[machines->count++] = m;
    return true;
}

int tg_walk_machines(tg_walk *w, int wanted)
{
    tg_machines *machines = w->machines;
    while (machines->count < wanted) {
        tg_machine *m = tg_machine_new(w->launch);
        if (m && tg_machines_add(machines, m)) continue;
        tg_machine_free(m);
        break;
    }
    const int count = machines->count < wanted ? machines->count : wanted;
    for (int i = 0; i < count; i++) tg_panels_forget(machines->list[i]);
    return count;
}

tg_machine *tg_walk_new_machine(tg_walk *w)
{
    if (w->taken == w->machines->count) {
        tg_machine *made = tg_machine_new(w->launch);
        if (made && tg_machines_add(w->machines, made)) return w->machines->list[w->taken++];
        tg_machine_free(made);
        return NULL;
    }
    return w->machines->list[w->taken++];
}

int tg_walk_most_waiting(const tg_launch *launch)
{
    enum { MOST = 1 << 16, LEAST = 64 };
    const size_t memory = (size_t)1 << 31, fixed = 1 << 12;
    const size_t fit = memory / (launch->workspace_bytes + launch->scratch_bytes +
                                 launch->strip_bytes + launch->extra_bytes + fixed);
    return fit > MOST ? MOST : fit < LEAST ? LEAST : (int)fit;
}

/* ---- programs ---- */

static bool is_time(struct timespec *shown)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double passed =
        (double)(now.tv_sec - shown->tv_sec) + 1e-9 * (double)(now.tv_nsec - shown->tv_nsec);
    if (passed < 0.1) return false;
    *shown = now;
    return true;
}

bool tg_walk_show_progress(void *context, bool is_caller)
{
    tg_walk *w = context;
    if (is_caller && w->progress && is_time(&w->shown) &&
        w->progress(w->context, __atomic_load_n(&w->done, __ATOMIC_RELAXED),
                    w->grid->chains * w->grid->steps))
        __atomic_store_n(&w->is_stopped, true, __ATOMIC_RELAXED);
    return __atomic_load_n(&w->is_stopped, __ATOMIC_RELAXED);
}

void tg_walk_count(tg_walk *w, bool is_caller)
{
    if (w->is_shared)
        __atomic_add_fetch(&w->done, 1, __ATOMIC_RELAXED);
    else
        w->done++;
    if (!is_caller || !w->progress || ++w->ended < w->patience) return;
    w->ended = 0;
    w->patience = tg_next_patience(w->patience, &w->asked);
    tg_walk_show_progress(w, true);
}

void tg_walk_note_stopped(tg_walk *w, const tg_machine *m)
{
    const tg_inst *loop = m->stopped_in;
    const tg_loc *loc = &w->launch->plan->module->locs[loop->loc];
    char program[TG_PROGRAM_TEXT];
    size_t used;
    if (!m->is_caller) return;
    used = (size_t)snprintf(w->where, sizeof w->where, ", in program %s within a %s loop",
                            tg_program_print(w->grid->rank, m->program, program),
                            tg_ops[loop->op].name);
    if (loc->line && used < sizeof w->where)
        snprintf(w->where + used, sizeof w->where - used, " at %s:%" PRId64, loc->file, loc->line);
}

void tg_walk_start(tg_walk *w, tg_machine *m, int64_t chain, int64_t step)
{
    int64_t program[TG_MAX_AXES] = {0};
    int64_t order = tg_grid_locate(w->grid, chain, step, program);
    if (step == 0) tg_machine_reset_scratch(m);
    if (step == 0) tg_dma_begin(m, order);
    tg_machine_start(m, program, order, chain);
    if (m->stopped_in) tg_walk_note_stopped(w, m); /* in an index map */
}

bool tg_walk_end_program(tg_walk *w, tg_machine *m, tg_step how, int64_t step)
{
    if (how == TG_STEP_BLOCKED) {
        tg_dma_finish(m, false);
        return false;
    }
    tg_walk_count(w, m->is_caller);
    if (step + 1 < w->grid->steps) return true;
    tg_machine_finish_scratch(m);
    return false;
}

tg_step tg_walk_go_on(tg_walk *w, tg_flight *f)
{
    for (;;) {
        if (__atomic_load_n(&w->is_stopped, __ATOMIC_RELAXED)) return TG_STEP_DONE;
        const tg_step how = tg_machine_run(f->machine);
        if (how == TG_STEP_WAITING || how == TG_STEP_GIVING_WAY) return how;
        if (how == TG_STEP_STOPPED) {
            tg_walk_note_stopped(w, f->machine);
            return TG_STEP_DONE;
        }
        if (!tg_walk_end_program(w, f->machine, how, f->step)) return TG_STEP_DONE;
        tg_walk_start(w, f->machine, f->chain, ++f->step);
    }
}

/* ---- one chain after the other ---- */

/* The next chain; where very many wait already, from the other end of the order, which those may be waiting for. */
static int64_t next_turn(tg_in_order *o)
{
    const int64_t busy = (int64_t)o->aside_count + o->waiting.count;
    const bool is_usual = !busy || busy < tg_walk_most_waiting(o->walk->launch);
    return is_usual ? o->turn++ : --o->end;
}

static tg_machine *take_machine(tg_in_order *o)
{
    tg_machine *m = o->spare ? o->spare : tg_walk_new_machine(o->walk);
    o->spare = NULL;
    if (!m) return NULL;
    m->stops = false;
    m->is_caller = true;
    return m;
}

static void end_chain(void *context, tg_flight *f)
{
    tg_in_order *o = context;
    tg_walk_end_program(o->walk, f->machine, TG_STEP_BLOCKED, f->step);
}

/* A new chain; false without memory for its machine. */
static bool begin_chain(tg_in_order *o, tg_flight *f)
{
    tg_walk *w = o->walk;
    f->machine = take_machine(o);
    if (!f->machine) return false;
    f->turn = next_turn(o);
    f->chain = o->list ? o->list[f->turn] : tg_order_pick(w->order, f->turn, w->grid->chains);
    f->step = 0;
    f->waits = 0;
    f->begun = o->begun++;
    tg_walk_start(w, f->machine, f->chain, 0);
    return true;
}

static bool take_aside(tg_in_order *o, tg_flight *f)
{
    if (!o->aside_count) return false;
    *f = o->aside[o->aside_first++];
    o->aside_count--;
    return true;
}

/* The next chain to run: one whose wait is over, else a new one, else one whose program has waited often, else one that has given way;
 * false where there is none, or no memory. */
static bool next_flight(tg_in_order *o, tg_flight *f)
{
    if (o->ready < o->ready_count) {
        *f = o->flights[o->ready++];
        return true;
    }
    if (o->waiting.count && tg_waiting_take(&o->waiting, false, f)) return true;
    if (o->turn != o->end) return begin_chain(o, f);
    if ((o->waiting.count && tg_waiting_take(&o->waiting, true, f)) || take_aside(o, f))
        return true;
    tg_waiting_give_up(&o->waiting, end_chain, o);
    return false;
}

/* The program of the chain waits for others, which run until it can go on. */
static bool put_off(tg_in_order *o, tg_flight *f)
{
    f->known = o->begun;
    f->is_told = false;
    return tg_waiting_add(&o->waiting, f);
}

/* Others go on before it does; false without memory. */
static bool put_aside(tg_in_order *o, const tg_flight *f)
{
    if (o->aside_first && o->aside_first + o->aside_count == o->aside_room) {
        memmove(o->aside, o->aside + o->aside_first, o->aside_count * sizeof *f);
        o->aside_first = 0;
    }
    tg_flight *aside =
        tg_list_grow(o->aside, o->aside_first + o->aside_count, &o->aside_room, sizeof *f);
    if (!aside) return false;
    o->aside = aside;
    aside[o->aside_first + o->aside_count++] = *f;
    return true;
}

/* Runs a chain as far as it goes now; false without memory. */
static bool run_flight(tg_in_order *o, tg_flight *f)
{
    o->walk->launch->waiting = tg_waiting_observer(&o->waiting);
    o->waiting.running = f->begun;
    switch (tg_walk_go_on(o->walk, f)) {
    case TG_STEP_WAITING: return put_off(o, f);
    case TG_STEP_GIVING_WAY: return put_aside(o, f);
    default: o->spare = f->machine; return true;
    }
}

tg_status tg_walk_in_order(tg_in_order *o)
{
    tg_walk *w = o->walk;
    tg_flight f = {0};
    bool has_memory = true;
    while (has_memory && !w->is_stopped && next_flight(o, &f)) has_memory = run_flight(o, &f);
    if (o->turn != o->end && !w->is_stopped) has_memory = false; /* for a machine */
    w->launch->waiting = NULL;
    tg_waiting_free(&o->waiting);
    free(o->aside);
    return has_memory ? TG_OK : TG_ERR_NO_MEMORY;
}

static tg_status run_in_order(tg_walk *w)
{
    tg_in_order o = {.walk = w, .end = w->grid->chains};
    if (!tg_walk_machines(w, 1)) return TG_ERR_NO_MEMORY;
    if (tg_order_is_listed(w->order) && !(o.list = tg_order_list(w->order, w->grid->chains)))
        return TG_ERR_NO_MEMORY;
    const tg_status status = tg_walk_in_order(&o);
    free(o.list);
    return status;
}

/* ---- the walk ---- */

tg_status tg_walk_run(tg_walk *w)
{
    w->done = w->next = 0;
    w->taken = 0;
    w->ended = w->patience = 0;
    w->asked = 0;
    w->threads = 1;
    w->is_stopped = w->is_shared = false;
    w->where[0] = '\0';
    w->launch->wants_stop = w->progress ? tg_walk_show_progress : NULL;
    w->launch->stop_context = w;
    w->launch->order = w->order;
    if (w->progress) clock_gettime(CLOCK_MONOTONIC, &w->shown);
    if (w->launch->plan->is_coupled) return tg_walk_coupled(w);
    if (w->order->kind == TG_ORDER_PARALLEL) return tg_walk_parallel(w);
    if (w->order->kind == TG_ORDER_INTERLEAVED) return tg_walk_interleaved(w);
    return run_in_order(w);
}
