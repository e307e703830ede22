#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <stdlib.h>

#include "schedule/threads.h"

#include "base/float_env.h"
#include "base/list.h"
#include "interp/exec/storage.h"
#include "schedule/programs.h"
#include "schedule/scheduler.h"

enum {
    /* nanoseconds to make a thread, although few runs have to */
    THREAD_COST = 30 * 1000,
    LOOP_COST = 1000 * 1000,
    INSTRUCTION_COST = 30,
    BYTES_PER_NANOSECOND = 8
};

/* ---- how many ---- */

/* A rough lower bound of the cost of one program, in nanoseconds.  The length of a loop is not
 * known: it counts as long. */
static double program_cost(const tg_plan *plan)
{
    double cost = (double)plan->workspace_bytes / BYTES_PER_NANOSECOND;
    for (uint32_t i = 0; i < plan->body.count; i++) {
        const tg_inst *inst = &plan->body.list[i];
        cost += tg_inst_loop_start(inst, i) != UINT32_MAX ? LOOP_COST : INSTRUCTION_COST;
        if (inst->kind != TG_I_DOT) continue;
        const struct tg_inst_dot *dot = inst->as.dot;
        cost += (double)dot->b * (double)dot->m * (double)dot->n * (double)dot->k /
                BYTES_PER_NANOSECOND;
    }
    return cost;
}

/* The same for the whole grid, which reads or writes the arrays at least once. */
static double walk_cost(const tg_walk *w)
{
    const tg_kernel *k = w->launch->plan->kernel;
    double bytes = 0;
    for (uint32_t p = 0; p < k->param_count; p++)
        bytes += (double)w->launch->buffers[p].count * tg_dtypes[k->params[p].array.dtype].bytes;
    return bytes / BYTES_PER_NANOSECOND +
           (double)tg_grid_programs(w->grid) * program_cost(w->launch->plan);
}

/* The number of threads that the order asks for; else as many as the work is worth, at most one per
 * processor; never more than chains. */
static int members_of(const tg_walk *w)
{
    int64_t workers = w->order->threads;
    if (!workers) {
        double worth = walk_cost(w) / THREAD_COST;
        workers = w->executor->room(w->executor->context);
        if ((double)workers > worth) workers = (int64_t)worth;
    }
    if (workers > w->grid->chains) workers = w->grid->chains;
    return workers < 1 ? 1 : (int)workers;
}

/* Number of chains that a thread takes at a time. */
static int64_t piece_of(int64_t chains, int threads)
{
    int64_t piece = chains / (threads * (int64_t)16);
    return piece < 1 ? 1 : piece > 1024 ? 1024 : piece;
}

/* ---- workers ---- */

/* One of the threads, and its chains whose programs wait. */
typedef struct worker {
    tg_machine *machine; /* for the next chain; NULL: not made yet */
    tg_machines made;    /* machines that this worker has made */
    tg_actor *waiting;
    int count;
    size_t capacity;
    bool lacks_memory;
} worker;

typedef struct workers {
    tg_walk *walk;
    worker *workers;
    int most_waiting; /* limit for each worker */
    int running;      /* workers that may still run programs */
    int busy;         /* those of them that made progress at their last try */
} workers;

/* Makes a machine for the next chain if there is none: a chain that waits keeps its own. */
static bool need_machine(const workers *c, worker *m)
{
    if (m->machine) return true;
    tg_machine *made = tg_machine_new(c->walk->launch);
    if (made && tg_machines_add(&m->made, made)) {
        m->machine = made;
        return true;
    }
    tg_machine_free(made);
    m->lacks_memory = true;
    return false;
}

static void put_off(worker *m, const tg_actor *f)
{
    tg_actor *list = tg_list_grow(m->waiting, (size_t)m->count, &m->capacity, sizeof *list);
    if (!list) {
        m->lacks_memory = true;
        return;
    }
    m->waiting = list;
    list[m->count++] = *f;
    m->machine = NULL;
}

static void run_chain(const workers *c, worker *m, int64_t chain)
{
    tg_actor f = {.machine = m->machine, .chain = chain, .turn = chain, .begun = chain};
    f.machine->stops = false;
    f.machine->is_caller = m == c->workers;
    tg_walk_start(c->walk, &f);
    if (tg_walk_run_chain(c->walk, &f) != TG_STEP_DONE) put_off(m, &f);
}

static bool has_ended(const workers *c, const worker *m)
{
    return m->lacks_memory || __atomic_load_n(&c->walk->is_stopped, __ATOMIC_RELAXED);
}

static void run_new_chains(const workers *c, worker *m)
{
    tg_walk *w = c->walk;
    const int64_t chains = w->grid->chains, piece = piece_of(chains, w->threads);
    while (m->count < c->most_waiting) {
        const int64_t first = __atomic_fetch_add(&w->next, piece, __ATOMIC_ACQ_REL);
        if (first >= chains) return;
        const int64_t end = chains - first < piece ? chains : first + piece;
        for (int64_t chain = first; chain < end && !has_ended(c, m) && need_machine(c, m); chain++)
            run_chain(c, m, chain);
    }
}

/* Lets each waiting chain try once more.  Returns whether any of them has ended. */
static bool try_waiting(const workers *c, worker *m)
{
    bool gets_on = false;
    for (int i = 0; i < m->count && !has_ended(c, m);) {
        tg_actor *f = &m->waiting[i];
        tg_wait_end(f->machine);
        if (tg_walk_run_chain(c->walk, f) != TG_STEP_DONE) {
            i++;
            continue;
        }
        m->machine = f->machine;
        *f = m->waiting[--m->count];
        gets_on = true;
    }
    return gets_on;
}

static void pause_briefly(workers *c, bool is_caller)
{
    const struct timespec pause = {.tv_nsec = 50 * 1000};
    if (is_caller && c->walk->progress) tg_walk_show_progress(c->walk, true);
    nanosleep(&pause, NULL);
}

/* Runs waiting chains until none is left, or no worker makes progress. */
static void run_waiting(workers *c, worker *m)
{
    bool is_busy = true;
    while (m->count && !has_ended(c, m)) {
        const bool gets_on = try_waiting(c, m);
        if (gets_on != is_busy) __atomic_add_fetch(&c->busy, gets_on ? 1 : -1, __ATOMIC_ACQ_REL);
        is_busy = gets_on;
        if (is_busy) continue;
        if (__atomic_load_n(&c->busy, __ATOMIC_ACQUIRE) == 0) return;
        pause_briefly(c, m == c->workers);
    }
    if (is_busy) __atomic_sub_fetch(&c->busy, 1, __ATOMIC_ACQ_REL);
}

static void run_member(void *context, int number)
{
    workers *c = context;
    worker *m = &c->workers[number];
    tg_environment saved = tg_environment_enter();
    m->machine = c->walk->machines->list[number];
    __atomic_add_fetch(&c->busy, 1, __ATOMIC_ACQ_REL);
    __atomic_add_fetch(&c->running, 1, __ATOMIC_RELAXED); /* read when no chains are left */
    run_new_chains(c, m);
    run_waiting(c, m);
    __atomic_sub_fetch(&c->running, 1, __ATOMIC_RELAXED);
    /* The calling thread has no more programs, but others have: only it may ask whether to stop. */
    while (number == 0 && c->walk->progress && __atomic_load_n(&c->running, __ATOMIC_RELAXED) > 0)
        pause_briefly(c, true);
    tg_environment_leave(saved);
}

/* ---- what is left ---- */

/* Hands the actors that workers leave behind to the scheduler.  Returns false if memory runs
 * out. */
static bool gather(workers *c, tg_scheduler *s)
{
    for (int i = 0; i < c->walk->threads; i++) {
        const worker *m = &c->workers[i];
        for (int a = 0; a < m->count; a++) {
            m->waiting[a].machine->is_caller = true;
            tg_wait_end(m->waiting[a].machine);
            if (!tg_scheduler_add(s, &m->waiting[a])) return false;
        }
        if (m->lacks_memory) return false;
    }
    return true;
}

/* Gives the machines that workers have made to the walk.  Returns false if memory runs out. */
static bool keep_machines(workers *c)
{
    bool is_kept = true;
    for (int i = 0; i < c->walk->threads; i++) {
        tg_machines *made = &c->workers[i].made;
        for (; made->count; made->count--) {
            tg_machine *m = made->list[made->count - 1];
            if (tg_machines_add(c->walk->machines, m)) continue;
            tg_machine_free(m);
            is_kept = false;
        }
        tg_machines_free(made);
    }
    return is_kept;
}

static tg_status finish(workers *c)
{
    tg_walk *w = c->walk;
    const int64_t chains = w->grid->chains, next = w->next < chains ? w->next : chains;
    tg_scheduler s = {.walk = w, .next = next, .end = chains, .begun = next};
    bool is_complete = gather(c, &s);
    if (!keep_machines(c)) is_complete = false;
    w->taken = w->machines->count;
    tg_status status = is_complete ? TG_OK : TG_ERR_NO_MEMORY;
    if (is_complete && !w->is_stopped) status = tg_scheduler_run(&s);
    tg_scheduler_free(&s);
    return status;
}

tg_status tg_walk_threads(tg_walk *w)
{
    workers c = {.walk = w};
    w->threads = tg_walk_machines(w, members_of(w));
    if (!w->threads) return TG_ERR_NO_MEMORY;
    c.workers = calloc((size_t)w->threads, sizeof *c.workers);
    if (!c.workers) return TG_ERR_NO_MEMORY;
    c.most_waiting = tg_walk_most_waiting(w->launch) / w->threads + 1;
    w->is_shared = w->threads > 1;
    w->threads = w->executor->run(w->executor->context, w->threads, run_member, &c);
    const tg_status status = finish(&c);
    for (int i = 0; i < w->threads; i++) free(c.workers[i].waiting);
    free(c.workers);
    return status;
}
