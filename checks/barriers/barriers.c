/* Barriers: whether their phases are the same in every order of the run, and whether one bit, the
 * parity of a phase, is enough to tell phases apart, as on a GPU.
 *
 * The rules, with `before` for the happens-before order of checks/clocks (docs/checks.md has the
 * reasons):
 *
 *   overrun     each arrival at phase n + 1, and each start of a copy for it, comes after phase n is
 *               complete: after all its arrivals and, if it has copies, after a wait for it.  Each
 *               start of a copy comes before some arrival of its phase, unless the phase has been
 *               told to expect its bytes; that must come before some arrival, too, and the copy has
 *               taken place before the phase is complete.
 *   missed      each wait for phase n comes before some arrival of phase n + 1.
 *               Copies whose bytes a phase expects are as good as arrivals here: it lacks them.
 *   unobserved  there is a wait for phase n, if phase n + 1 is complete.
 *
 * Where the first rule holds, phases and `before` are the same in every order, and so is the result
 * of the others. */
#include <stdlib.h>
#include <string.h>

#include "checks/barriers/faults.h"
#include "checks/barriers/phases.h"
#include "checks/checks.h"
#include "checks/clocks/clocks.h"
#include "interp/sync/async_op.h"
#include "interp/sync/barrier.h"

typedef struct barriers {
    tg_thread_clocks *clocks; /* shared, see checks/clocks/clocks.h */
    tg_barrier_uses uses;
    tg_barrier_faults faults;
    tg_number_map since; /* by actor: the time of the first of its last arrivals at once */
    bool is_incomplete;  /* something was lost because memory ran out */
} barriers;

/* Who acts: a thread, or an op that it has started and that arrives. */
typedef struct knower {
    int64_t actor;
    const tg_async_op *op; /* NULL: the thread */
} knower;

static bool knows(barriers *b, const knower *who, const tg_barrier_act *act)
{
    return who->op ? tg_async_knows(b->clocks, who->op, act->actor, act->time)
                   : tg_thread_knows(b->clocks, who->actor, act->actor, act->time);
}

/* Returns an act that must come before anything of phase `now` but that `who` does not know of; NULL
 * if it knows that phase `before` is complete. */
static const tg_barrier_act *unknown_of(barriers *b, const tg_barrier_use *use, const knower *who)
{
    const tg_phase_acts *before = &use->before;
    if (use->now.number == 0) return NULL;
    for (size_t i = 0; i < before->arrivals.count; i++)
        if (!knows(b, who, &before->arrivals.list[i])) return &before->arrivals.list[i];
    if (!before->copies.count) return NULL;
    for (size_t i = 0; i < before->waits.count; i++)
        if (knows(b, who, &before->waits.list[i])) return NULL;
    return tg_barrier_acts_first(&before->copies);
}

/* Marks what `who` knows of, before whose act the phase is not complete. */
static void mark_ordered(barriers *b, tg_barrier_acts *acts, const knower *who)
{
    for (size_t i = 0; i < acts->count; i++)
        acts->list[i].is_ordered = acts->list[i].is_ordered || knows(b, who, &acts->list[i]);
}

/* ---- events ---- */

/* Looks whether the act may be one of the phase before. */
static void look_at_phase(barriers *b, const tg_machine *m, const tg_barrier_use *use,
                          const tg_barrier_act *act, const knower *who)
{
    const tg_barrier_act *unknown = unknown_of(b, use, who);
    if (unknown) tg_barrier_overrun(&b->faults, m, use, act, unknown);
}

static bool have_all_arrived(const tg_machine *m, const tg_barrier_use *use)
{
    return (int64_t)use->now.arrivals.count == m->launch->plan->kernel->params[use->param].arrivals;
}

static void arrives(barriers *b, const tg_machine *m, tg_barrier_use *use,
                    const tg_barrier_act *act, const tg_async_op *by)
{
    const knower who = {act->actor, by};
    tg_barrier_act arrival = *act;
    if (by) tg_async_place_in_order(b->clocks, by, &arrival.actor, &arrival.time);
    if (have_all_arrived(m, use)) { /* it does not count: the phase lacks bytes of copies */
        tg_barrier_overrun(&b->faults, m, use, act, tg_barrier_acts_first(&use->now.arrivals));
        return;
    }
    look_at_phase(b, m, use, act, &who);
    mark_ordered(b, &use->before.waits, &who);
    mark_ordered(b, &use->now.copies, &who);
    tg_barrier_thread *thread = tg_barrier_thread_of(use, act);
    if (thread) thread->arrives = true;
    if (!thread || !tg_barrier_acts_add(&use->now.arrivals, &arrival)) b->is_incomplete = true;
}

/* The phase needs something beside arrivals. */
static void needs(barriers *b, const tg_machine *m, tg_barrier_use *use, const tg_barrier_act *act)
{
    look_at_phase(b, m, use, act, &(knower){act->actor, NULL});
    if (!tg_barrier_thread_of(use, act) || !tg_barrier_acts_add(&use->now.copies, act))
        b->is_incomplete = true;
}

/* Copies whose bytes a phase expects bring them before it is complete; one that started in the phase and
 * brings them to a later one may be of either. */
static void look_at_copies_on_their_way(barriers *b, const tg_machine *m, const tg_barrier_use *use)
{
    for (uint32_t i = 0; i < m->chain->async_ops.count; i++) {
        const tg_async_op *op = m->chain->async_ops.list[i];
        if (op->signal != use->barrier || op->stage == TG_ASYNC_DONE ||
            op->inst->as.async->told != TG_ASYNC_TELLS_BARRIER)
            continue;
        tg_barrier_act act = {.inst = op->inst, .program_index = op->program_index};
        memcpy(act.program, op->program, sizeof act.program);
        tg_barrier_overrun(&b->faults, m, use, &act, tg_barrier_acts_first(&use->now.arrivals));
    }
}

static void completed(barriers *b, const tg_machine *m, tg_barrier_use *use)
{
    bool is_observed = use->now.number == 0;
    for (size_t i = 0; i < use->before.waits.count; i++) {
        const tg_barrier_act *wait = &use->before.waits.list[i];
        is_observed = true;
        if (!wait->is_ordered)
            tg_barrier_missed(&b->faults, m, use, wait, use->before.number,
                              tg_barrier_acts_first(&use->now.arrivals));
    }
    for (size_t i = 0; i < use->now.copies.count; i++)
        if (!use->now.copies.list[i].is_ordered)
            tg_barrier_overrun(&b->faults, m, use, &use->now.copies.list[i],
                               tg_barrier_acts_first(&use->now.arrivals));
    look_at_copies_on_their_way(b, m, use);
    if (!is_observed) tg_barrier_unobserved(&b->faults, m, use);
    tg_barrier_next_phase(use);
}

static void count_wait(barriers *b, tg_barrier_use *use, const tg_barrier_act *act)
{
    tg_barrier_thread *thread = tg_barrier_thread_of(use, act);
    if (thread) thread->awaited++;
    if (!thread) b->is_incomplete = true;
}

static void awaited(barriers *b, const tg_machine *m, tg_barrier_use *use,
                    const tg_barrier_act *act, uint32_t phase)
{
    count_wait(b, use, act);
    if (phase != use->before.number) {
        tg_barrier_missed(&b->faults, m, use, act, phase, tg_barrier_first_arrival(use, phase + 1));
        return;
    }
    if (!tg_barrier_acts_add(&use->before.waits, act)) b->is_incomplete = true;
}

/* Who knows of the first of several arrivals at once knows of all of them. */
static void take_first_time(barriers *b, const tg_inst *inst, tg_barrier_act *act)
{
    const uint32_t since = tg_number_map_get(&b->since, (uint64_t)act->actor);
    if (inst->kind == TG_I_BARRIER && inst->as.barrier->at_once && since != UINT32_MAX)
        act->time = since;
    else if (!tg_number_map_put(&b->since, (uint64_t)act->actor, act->time))
        b->is_incomplete = true;
}

static void at_barrier(tg_machine *m, const tg_barrier_event *event)
{
    barriers *b = m->own;
    tg_thread_clocks_enter(b->clocks);
    tg_barrier_use *use = tg_barrier_use_of(&b->uses, m, event->param, event->barrier);
    tg_barrier_act act = tg_barrier_act_of(m, event->inst, tg_thread_time(b->clocks, m->actor));
    if (event->step == TG_BARRIER_ARRIVAL && !event->op) take_first_time(b, event->inst, &act);
    if (!use)
        b->is_incomplete = true;
    else if (event->step == TG_BARRIER_ARRIVAL)
        arrives(b, m, use, &act, event->op);
    else if (event->step == TG_BARRIER_EXPECTED)
        needs(b, m, use, &act);
    else if (event->step == TG_BARRIER_COMPLETED)
        completed(b, m, use);
    else if (event->step == TG_BARRIER_FOLLOWED)
        count_wait(b, use, &act);
    else
        awaited(b, m, use, &act, event->phase);
    tg_thread_clocks_leave(b->clocks);
}

/* A phase is not complete before copies whose bytes it expects, whenever they start. */
static void op_for_barrier(barriers *b, const tg_machine *m, const tg_async_op *op)
{
    const struct tg_inst_async *plan = op->inst->as.async;
    tg_barrier_act act = tg_barrier_act_of(m, op->inst, tg_thread_time(b->clocks, m->actor));
    tg_barrier_use *use = tg_barrier_use_of(&b->uses, m, plan->signal_root, op->signal);
    act.is_ordered = plan->is_expected;
    if (!use) {
        b->is_incomplete = true;
        return;
    }
    needs(b, m, use, &act);
    if (plan->is_expected) mark_ordered(b, &use->before.waits, &(knower){act.actor, NULL});
}

static void async_starts(tg_machine *m, const tg_async_op *op)
{
    barriers *b = m->own;
    if (op->inst->as.async->told != TG_ASYNC_TELLS_BARRIER) return;
    tg_thread_clocks_enter(b->clocks);
    op_for_barrier(b, m, op);
    tg_thread_clocks_leave(b->clocks);
}

/* ---- the end of a chain ---- */

static void look_at_the_end(barriers *b, const tg_machine *m, const tg_barrier_use *use)
{
    const int64_t lacks = tg_barrier_lacks(m, use->param, use->barrier);
    if (use->thread_count && (use->now.arrivals.count || lacks))
        tg_barrier_arrivals_left(&b->faults, m, use, lacks);
    if (!(m->launch->checks & TG_CHECK_GPU_STRICT)) return;
    for (size_t i = 0; i < use->thread_count; i++) {
        const tg_barrier_thread *thread = &use->threads[i];
        if (thread->awaited && thread->awaited < use->now.number)
            tg_barrier_phases_left(&b->faults, m, use, thread);
    }
}

/* Each thread of the chain ends; the one that has the memory is the last one to look at it. */
static void chain_ends(tg_machine *m)
{
    barriers *b = m->own;
    if (m->chain != &m->own_chain) return;
    tg_thread_clocks_enter(b->clocks);
    for (size_t i = 0; i < b->uses.count; i++)
        if (b->uses.list[i].chain == m->chain->number) look_at_the_end(b, m, &b->uses.list[i]);
    tg_thread_clocks_leave(b->clocks);
}

/* ---- the detector ---- */

static bool wants(const tg_launch *launch)
{
    const tg_kernel *kernel = launch->plan->kernel;
    for (uint32_t p = 0; p < kernel->param_count; p++)
        if (kernel->params[p].array.dtype == TG_DT_barrier) return true;
    return false;
}

static void free_barriers(void *state)
{
    barriers *b = state;
    tg_barrier_uses_free(&b->uses);
    tg_barrier_faults_free(&b->faults);
    tg_number_map_free(&b->since);
    free(b);
}

static bool make(const tg_launch *launch, void **state)
{
    barriers *b = calloc(1, sizeof *b);
    if (!b) return false;
    b->clocks = tg_clocks_of(launch);
    if (!tg_barrier_faults_init(&b->faults, launch->plan->kernel->param_count)) {
        free_barriers(b);
        return false;
    }
    *state = b;
    return true;
}

static bool begin(void *state, const tg_run_begin *run)
{
    barriers *b = state;
    (void)run;
    tg_barrier_uses_free(&b->uses);
    tg_barrier_faults_clear(&b->faults);
    tg_number_map_free(&b->since);
    b->is_incomplete = false;
    return true;
}

static bool report(void *state, tg_run_end *run)
{
    const barriers *b = state;
    tg_barrier_faults_report(&b->faults, run->findings);
    return !b->is_incomplete;
}

const tg_detector tg_detector_barriers = {.wants = wants,
                                          .make = make,
                                          .free = free_barriers,
                                          .begin = begin,
                                          .report = report,
                                          .async_starts = async_starts,
                                          .at_barrier = at_barrier,
                                          .chain_ends = chain_ends};
