#define _POSIX_C_SOURCE 200809L /* clock_gettime, nanosleep */
#include "interp/walk_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/environment.h"
#include "interp/panels.h"
#include "interp/team.h"

enum {
    LIVE_PROGRAMS = 16,      /* machines that an interleaved order keeps in flight */
    THREAD_COST = 30 * 1000, /* nanoseconds that it takes to start a thread and to see it end */
    LOOP_COST = 1000 * 1000,
    INSTRUCTION_COST = 30,
    BYTES_PER_NANOSECOND = 8
};

/* ---- machines ---- */

void tg_machines_free(tg_machines *machines)
{
    for (int i = 0; i < machines->count; i++) tg_machine_free(machines->list[i]);
    free(machines->list);
    *machines = (tg_machines){0};
}

static bool make_room(tg_machines *machines, int count)
{
    if (count <= machines->capacity) return true;
    tg_machine **list = realloc(machines->list, (size_t)count * sizeof *list);
    if (!list) return false;
    machines->list = list;
    machines->capacity = count;
    return true;
}

int tg_walk_machines(tg_walk *w, int wanted)
{
    tg_machines *machines = w->machines;
    if (!make_room(machines, wanted)) wanted = machines->capacity;
    while (machines->count < wanted) {
        tg_machine *m = tg_machine_new(w->launch);
        if (!m) break;
        machines->list[machines->count++] = m;
    }
    const int count = machines->count < wanted ? machines->count : wanted;
    for (int i = 0; i < count; i++) tg_panels_forget(machines->list[i]);
    return count;
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

/* Reports how far the walk is; only the thread that called may do so.  Returns whether the walk shall stop. */
static bool show_progress(void *context, bool is_caller)
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
    if (is_caller && w->progress) show_progress(w, true);
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

/* Where a program is done: whether the chain goes on.  What would come after one that waits forever never runs. */
static bool end_program(tg_walk *w, tg_machine *m, tg_step how, int64_t step)
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

static void run_chain(tg_walk *w, tg_machine *m, int64_t chain)
{
    bool goes_on = true;
    for (int64_t step = 0; goes_on; step++) {
        if (__atomic_load_n(&w->is_stopped, __ATOMIC_RELAXED)) return;
        tg_walk_start(w, m, chain, step);
        tg_step how = tg_machine_run(m);
        if (how == TG_STEP_STOPPED) {
            tg_walk_note_stopped(w, m);
            return;
        }
        goes_on = end_program(w, m, how, step);
    }
}

static tg_status run_in_order(tg_walk *w)
{
    int64_t *list = NULL;
    if (!tg_walk_machines(w, 1)) return TG_ERR_NO_MEMORY;
    if (tg_order_is_listed(w->order) && !(list = tg_order_list(w->order, w->grid->chains)))
        return TG_ERR_NO_MEMORY;
    tg_machine *m = w->machines->list[0];
    m->stops = false;
    m->is_caller = true;
    for (int64_t turn = 0; turn < w->grid->chains; turn++)
        run_chain(w, m, list ? list[turn] : tg_order_pick(w->order, turn, w->grid->chains));
    free(list);
    return TG_OK;
}

/* ---- threads ---- */

/* Whether this instruction may lead to an earlier one. */
static bool is_loop(const tg_inst *inst, uint32_t at)
{
    return inst->kind == TG_I_FOR_TEST || (inst->kind == TG_I_JUMP && inst->as.jump.target <= at);
}

/* What one program costs at the least, in nanoseconds and very roughly.  Nobody knows how long a loop takes:
 * that is taken to be long. */
static double program_cost(const tg_plan *plan)
{
    double cost = (double)plan->workspace_bytes / BYTES_PER_NANOSECOND;
    for (uint32_t i = 0; i < plan->body.count; i++) {
        const tg_inst *inst = &plan->body.list[i];
        cost += is_loop(inst, i) ? LOOP_COST : INSTRUCTION_COST;
        if (inst->kind != TG_I_DOT) continue;
        const struct tg_inst_dot *dot = inst->as.dot;
        cost += (double)dot->b * (double)dot->m * (double)dot->n * (double)dot->k /
                BYTES_PER_NANOSECOND;
    }
    return cost;
}

/* The same for the whole grid, which touches the arrays at least once. */
static double walk_cost(const tg_walk *w)
{
    const tg_kernel *k = w->launch->plan->kernel;
    double bytes = 0;
    for (uint32_t p = 0; p < k->param_count; p++)
        bytes += (double)w->launch->buffers[p].count * tg_dtypes[k->params[p].array.dtype].bytes;
    return bytes / BYTES_PER_NANOSECOND +
           (double)w->grid->chains * (double)w->grid->steps * program_cost(w->launch->plan);
}

/* As many threads as are asked for; else no more than the work is worth, nor than there are processors; never
 * more than chains. */
static int members_of(const tg_walk *w)
{
    int64_t members = w->order->threads;
    if (!members) {
        double worth = walk_cost(w) / THREAD_COST;
        members = tg_team_room();
        if ((double)members > worth) members = (int64_t)worth;
    }
    if (members > w->grid->chains) members = w->grid->chains;
    return members < 1 ? 1 : (int)members;
}

/* Chains that a thread takes at a time. */
static int64_t piece_of(int64_t chains, int threads)
{
    int64_t piece = chains / (threads * (int64_t)16);
    return piece < 1 ? 1 : piece > 1024 ? 1024 : piece;
}

/* The calling thread has no more programs, but others do: only it may ask whether to stop. */
static void wait_for_others(tg_walk *w)
{
    const struct timespec pause = {.tv_nsec = 50 * 1000};
    while (w->progress && __atomic_load_n(&w->running, __ATOMIC_RELAXED) > 0) {
        show_progress(w, true);
        nanosleep(&pause, NULL);
    }
}

static void run_member(void *context, int member)
{
    tg_walk *w = context;
    int64_t chains = w->grid->chains, piece = piece_of(chains, w->threads);
    tg_machine *m = w->machines->list[member];
    tg_environment saved = tg_environment_enter();
    m->stops = false;
    m->is_caller = member == 0;
    __atomic_add_fetch(&w->running, 1, __ATOMIC_RELAXED); /* seen by whoever finds no chains left */
    for (;;) {
        int64_t first = __atomic_fetch_add(&w->next, piece, __ATOMIC_ACQ_REL);
        if (first >= chains) break;
        int64_t end = chains - first < piece ? chains : first + piece;
        for (int64_t chain = first; chain < end; chain++) run_chain(w, m, chain);
    }
    __atomic_sub_fetch(&w->running, 1, __ATOMIC_RELAXED);
    if (member == 0) wait_for_others(w);
    tg_environment_leave(saved);
}

static tg_status run_parallel(tg_walk *w)
{
    w->threads = tg_walk_machines(w, members_of(w));
    if (!w->threads) return TG_ERR_NO_MEMORY;
    w->is_shared = w->threads > 1;
    w->threads = tg_team_run(w->threads, run_member, w);
    return TG_OK;
}

/* ---- interleaving ---- */

typedef struct live {
    tg_machine *machine;
    int64_t chain, step;
    bool goes_on; /* the chain has a next step */
} live;

/* The next program of the chain, or the first of the next chain; false when none is left. */
static bool next_program(tg_walk *w, live *l, int64_t *turn)
{
    if (l->goes_on) {
        l->step++;
    } else {
        if (*turn >= w->grid->chains) return false;
        l->chain = tg_order_pick(w->order, (*turn)++, w->grid->chains);
        l->step = 0;
    }
    tg_walk_start(w, l->machine, l->chain, l->step);
    return true;
}

/* One machine, chosen at random, goes on to its next visible event; a finished one takes a new program. */
static tg_status run_interleaved(tg_walk *w)
{
    live machines[LIVE_PROGRAMS] = {{0}};
    int64_t turn = 0, chains = w->grid->chains;
    int wanted = chains < LIVE_PROGRAMS ? (int)chains : LIVE_PROGRAMS;
    /* Fewer machines would be another interleaving than the seed names. */
    if (tg_walk_machines(w, wanted) < wanted) return TG_ERR_NO_MEMORY;
    int count = wanted;
    for (int i = 0; i < count; i++) {
        machines[i].machine = w->machines->list[i];
        machines[i].machine->stops = true;
        machines[i].machine->is_caller = true;
        next_program(w, &machines[i], &turn);
    }
    for (uint64_t n = 0; count > 0 && !w->is_stopped; n++) {
        live *l = &machines[tg_random(~w->order->seed, n) % (uint64_t)count];
        tg_step step = tg_machine_run(l->machine);
        if (step == TG_STEP_STOPPED) tg_walk_note_stopped(w, l->machine);
        if (step != TG_STEP_DONE && step != TG_STEP_BLOCKED) continue;
        l->goes_on = end_program(w, l->machine, step, l->step);
        if (next_program(w, l, &turn)) continue;
        live last = machines[--count];
        machines[count] = *l;
        *l = last;
    }
    return TG_OK;
}

/* ---- the walk ---- */

tg_status tg_walk_run(tg_walk *w)
{
    w->done = w->next = 0;
    w->threads = 1;
    w->running = 0;
    w->is_stopped = w->is_shared = false;
    w->where[0] = '\0';
    w->launch->wants_stop = w->progress ? show_progress : NULL;
    w->launch->stop_context = w;
    w->launch->order = w->order;
    if (w->progress) clock_gettime(CLOCK_MONOTONIC, &w->shown);
    if (w->launch->plan->is_coupled) return tg_walk_coupled(w);
    if (w->order->kind == TG_ORDER_PARALLEL) return run_parallel(w);
    if (w->order->kind == TG_ORDER_INTERLEAVED) return run_interleaved(w);
    return run_in_order(w);
}
