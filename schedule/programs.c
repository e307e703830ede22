#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "schedule/programs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/list.h"
#include "interp/exec/exec.h"
#include "interp/exec/panels.h"
#include "interp/spin/patience.h"
#include "interp/exec/program.h"
#include "interp/exec/storage.h"
#include "plan/program_text.h"

/* ---- machines ---- */

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
                    tg_grid_programs(w->grid)))
        __atomic_store_n(&w->is_stopped, true, __ATOMIC_RELAXED);
    return __atomic_load_n(&w->is_stopped, __ATOMIC_RELAXED);
}

void tg_walk_program_done(tg_walk *w, const tg_actor *a)
{
    if (w->is_shared)
        __atomic_add_fetch(&w->done, 1, __ATOMIC_RELAXED);
    else
        w->done++;
    if (!a->machine->is_caller || !w->progress || ++w->ended < w->patience) return;
    w->ended = 0;
    w->patience = tg_next_patience(w->patience, &w->asked);
    tg_walk_show_progress(w, true);
}

/* Only the calling thread says where its program stopped. */
static void note_stopped(tg_walk *w, const tg_machine *m)
{
    const tg_inst *loop = m->stopped_in;
    const tg_loc *loc = &w->launch->plan->module->locs[loop->loc];
    char program[TG_PROGRAM_TEXT];
    size_t used;
    if (!m->is_caller) return;
    used = (size_t)snprintf(
        w->where, sizeof w->where, ", in program %s within a %s loop",
        tg_program_print(w->launch->plan->kernel, w->grid->size, m->program, program),
        tg_ops[loop->op].name);
    if (loc->line && used < sizeof w->where)
        snprintf(w->where + used, sizeof w->where - used, " at %s:%" PRId64, loc->file, loc->line);
}

void tg_walk_start(tg_walk *w, const tg_actor *a)
{
    int64_t program[TG_MAX_AXES] = {0};
    tg_machine *m = a->machine;
    const int64_t program_index = tg_grid_locate(w->grid, a->chain, a->step, a->thread, program);
    if (a->step == 0) tg_machine_begin_chain(m, a->chain, a->thread, program_index);
    tg_machine_start(m, program, program_index);
    if (m->stopped_in) note_stopped(w, m); /* stopped in an index map */
}

static inline tg_step run_program(tg_walk *w, const tg_actor *a)
{
    tg_machine *m = a->machine;
    const tg_step how = tg_machine_run(m);
    if (how == TG_STEP_STOPPED) note_stopped(w, m);
    if (how == TG_STEP_WAITING) TG_DETECT(m, waits, m)
    if (how != TG_STEP_WAITING || !m->wait->may_end || m->wait->may_end(m)) return how;
    m->wait->report(m, NULL, 0);
    return TG_STEP_BLOCKED;
}

tg_step tg_walk_run_program(tg_walk *w, const tg_actor *a) { return run_program(w, a); }

bool tg_walk_next(tg_walk *w, tg_actor *a, tg_step how)
{
    if (how == TG_STEP_BLOCKED) return false;
    tg_walk_program_done(w, a);
    if (a->step + 1 == w->grid->steps) return false;
    a->step++;
    tg_walk_start(w, a);
    return true;
}

void tg_walk_end_chain(const tg_actor *a, tg_step how)
{
    tg_machine_end_chain(a->machine, how != TG_STEP_BLOCKED);
}

tg_step tg_walk_run_chain(tg_walk *w, tg_actor *a)
{
    for (;;) {
        if (__atomic_load_n(&w->is_stopped, __ATOMIC_RELAXED)) return TG_STEP_DONE;
        const tg_step how = run_program(w, a);
        if (how == TG_STEP_WAITING || how == TG_STEP_GIVING_WAY) return how;
        if (how == TG_STEP_STOPPED) return TG_STEP_DONE;
        if (tg_walk_next(w, a, how)) continue;
        tg_walk_end_chain(a, how);
        return TG_STEP_DONE;
    }
}
