#include "interp/sync/barrier.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "interp/sync/async.h"
#include "interp/sync/async_order.h"
#include "interp/sync/semaphore.h"
#include "interp/memory/notify.h"
#include "interp/state/found.h"
#include "interp/state/handlers.h"
#include "interp/state/operand.h"

/* ---- the element: complete phases, and arrivals in the current phase ---- */

enum { PHASE_BITS = 32 };

uint32_t tg_barrier_phase(const int64_t *barrier)
{
    return (uint32_t)((uint64_t)*barrier >> PHASE_BITS);
}

static uint32_t arrivals_of(const int64_t *barrier) { return (uint32_t)*barrier; }

static void set(int64_t *barrier, uint32_t phases, uint32_t arrivals)
{
    *barrier = (int64_t)((uint64_t)phases << PHASE_BITS | arrivals);
}

static int64_t element_of(const tg_machine *m, uint32_t root, const int64_t *barrier)
{
    return barrier - (const int64_t *)(const void *)tg_machine_memory(m, root);
}

/* Its number among all barriers of a chain. */
static size_t number_of(const tg_machine *m, uint32_t root, const int64_t *barrier)
{
    return m->launch->first_barrier[root] + (size_t)element_of(m, root, barrier);
}

/* The number of phases that the thread has waited for. */
static uint32_t *awaited_of(const tg_machine *m, uint32_t root, const int64_t *barrier)
{
    return &m->awaited_phases[number_of(m, root, barrier)];
}

/* The bytes that the current phase lacks; less than 0 if copies have brought more than was expected. */
static int64_t *missing_of(const tg_machine *m, uint32_t root, const int64_t *barrier)
{
    return &m->chain->machine->missing_bytes[number_of(m, root, barrier)];
}

int64_t tg_barrier_lacks(const tg_machine *m, uint32_t root, const int64_t *barrier)
{
    return *missing_of(m, root, barrier);
}

static const tg_param *param_of(const tg_machine *m, uint32_t root)
{
    return &m->launch->plan->kernel->params[root];
}

void tg_barriers_begin(tg_machine *m)
{
    memset(m->awaited_phases, 0, m->launch->barrier_count * sizeof *m->awaited_phases);
    memset(m->missing_bytes, 0, m->launch->barrier_count * sizeof *m->missing_bytes);
}

/* ---- waiting ---- */

static bool is_over(const tg_machine *m)
{
    return tg_barrier_phase(m->awaited.semaphore) > (uint32_t)m->awaited.wanted;
}

/* Relates a program that waits as well, for this barrier or another one. */
static void relate(tg_found *found, const tg_machine *other)
{
    const tg_inst *wait = other->awaited.inst;
    tg_found_related *related = &found->related[found->related_count++];
    *related = (tg_found_related){.role = "waits as well:",
                                  .param = param_of(other, wait->as.barrier->root),
                                  .at = {.op = wait->op, .loc = wait->loc, .has_program = true}};
    memcpy(related->at.program, other->program, sizeof related->at.program);
}

static void report(tg_machine *m, const tg_machine *const *others, int count)
{
    const tg_inst *inst = m->awaited.inst;
    const uint32_t root = inst->as.barrier->root;
    const tg_param *param = param_of(m, root);
    const int64_t missing = *missing_of(m, root, m->awaited.semaphore);
    tg_found found = tg_machine_finding(m, TG_FINDING_DEADLOCK, inst, param);
    char name[TG_SEMAPHORE_NAME], bytes[64] = "";
    found.has_elements = true;
    found.first = found.last = element_of(m, root, m->awaited.semaphore);
    tg_semaphore_name(m, root, m->awaited.semaphore, name);
    if (missing)
        snprintf(bytes, sizeof bytes, ", copies brought %" PRId64 " bytes %s than expected",
                 missing > 0 ? missing : -missing, missing > 0 ? "less" : "more");
    snprintf(found.message, sizeof found.message,
             "%s waits for phase %" PRId64 " of %s to be complete: %" PRIu32 " of %" PRId64
             " arrivals have come%s, and nobody is left to arrive.  The program ends here",
             tg_ops[inst->op].name, m->awaited.wanted, name, arrivals_of(m->awaited.semaphore),
             param->arrivals, bytes);
    for (int i = 0; i < count; i++) relate(&found, others[i]);
    tg_findings_add(m->launch->findings, &found);
}

static const tg_wait wait_for_phase = {.is_over = is_over,
                                       .may_end = tg_awaited_may_end,
                                       .places = tg_awaited_places,
                                       .report = report};
static const tg_wait wait_with_nothing_to_do = {.is_over = is_over,
                                                .may_end = tg_awaited_may_end,
                                                .places = tg_awaited_places,
                                                .report = report,
                                                .is_idle = true};

/* ---- instructions ---- */

/* For observers each phase is an element of its own, so that a wait for one phase acquires nothing
 * that others did for the next. */
static int64_t element_of_phase(const tg_machine *m, uint32_t root, const int64_t *barrier,
                                uint32_t phase)
{
    const int64_t count = tg_type_count(&param_of(m, root)->array),
                  chains = m->launch->actors / m->launch->threads,
                  phase_of_chain = phase * chains + m->chain->number;
    return phase_of_chain * count + element_of(m, root, barrier);
}

/* Returns whether all arrivals of the phase have come; copies may still be on their way. */
static bool have_all_arrived(const tg_machine *m, uint32_t root, const int64_t *barrier)
{
    return arrivals_of(barrier) == param_of(m, root)->arrivals;
}

static void notify_of(tg_machine *m, const tg_barrier_event *event)
{
    TG_DETECT(m, at_barrier, m, event)
}

static void notify(tg_machine *m, tg_barrier_step step, const tg_inst *inst, uint32_t root,
                   const int64_t *barrier, uint32_t phase)
{
    notify_of(m, &(tg_barrier_event){step, inst, root, barrier, phase, NULL});
}

/* Completes the phase if nothing is missing. */
static void settle(tg_machine *m, const tg_inst *inst, uint32_t root, int64_t *barrier)
{
    const uint32_t phase = tg_barrier_phase(barrier);
    if (!have_all_arrived(m, root, barrier) || *missing_of(m, root, barrier) ||
        tg_async_holds_up(m, barrier))
        return;
    set(barrier, phase + 1, 0);
    notify(m, TG_BARRIER_COMPLETED, inst, root, barrier, phase);
    tg_semaphore_raised(m, inst, root, barrier);
}

/* An arrival beyond those of a phase whose copies are still on their way is one of the next phase, as
 * it is where they have taken place.  If the phase waits for copies that have not started, the arrival
 * does not count.  On a GPU it is one too many: see checks/barriers. */
static void arrive(tg_machine *m, const tg_inst *inst, int64_t *barrier)
{
    const uint32_t root = inst->as.barrier->root;
    while (have_all_arrived(m, root, barrier) && tg_async_hurry(m, barrier)) continue;
    const uint32_t phase = tg_barrier_phase(barrier);
    notify(m, TG_BARRIER_ARRIVAL, inst, root, barrier, phase);
    if (have_all_arrived(m, root, barrier)) return;
    set(barrier, phase, arrivals_of(barrier) + 1);
    if (inst->as.barrier->orders_products)
        tg_async_order_hand_on(m, number_of(m, root, barrier), phase);
    tg_semaphore_synchronises(m, inst, root, element_of_phase(m, root, barrier, phase));
    settle(m, inst, root, barrier);
}

/* The op releases what it has done to those who wait for the current phase. */
static void release(const tg_machine *m, const tg_async_op *op)
{
    const uint32_t root = op->inst->as.async->signal_root;
    if (!(m->launch->watched & TG_ACCESS_ATOMIC)) return;
    tg_access_event event = {
        .kind = TG_ACCESS_ATOMIC,
        .param = root,
        .width = sizeof(int64_t),
        .inst = op->inst,
        .program = op->program,
        .program_index = op->program_index,
        .chain = m->chain->number,
        .actor = op->actor,
        .first = element_of_phase(m, root, op->signal, tg_barrier_phase(op->signal)),
        .rank = 1,
        .count = {1},
        .stride = {1}};
    tg_machine_notify(m, &event);
}

void tg_barrier_arrived(tg_machine *m, tg_async_op *arrival)
{
    const uint32_t root = arrival->inst->as.async->signal_root;
    arrival->phase = tg_barrier_phase(arrival->signal);
    notify_of(arrival->starter, &(tg_barrier_event){TG_BARRIER_ARRIVAL, arrival->inst, root,
                                                    arrival->signal, arrival->phase, arrival});
    if (have_all_arrived(m, root, arrival->signal)) return; /* as above */
    set(arrival->signal, arrival->phase, arrivals_of(arrival->signal) + 1);
    release(m, arrival);
    settle(m, arrival->inst, root, arrival->signal);
}

void tg_barrier_copied(tg_machine *m, const tg_async_op *copy)
{
    const uint32_t root = copy->inst->as.async->signal_root;
    release(m, copy);
    if (copy->inst->as.async->is_expected) *missing_of(m, root, copy->signal) -= copy->bytes;
    settle(m, copy->inst, root, copy->signal);
}

/* The copies may have come before. */
static void expect(tg_machine *m, const tg_inst *inst, int64_t *barrier)
{
    const uint32_t root = inst->as.barrier->root;
    notify(m, TG_BARRIER_EXPECTED, inst, root, barrier, tg_barrier_phase(barrier));
    *missing_of(m, root, barrier) += tg_operand_int(m, &inst->as.barrier->bytes);
    settle(m, inst, root, barrier);
}

/* The copies of the phase take place at the latest when only they are missing. */
static tg_step wait_for_phase_of(tg_machine *m, uint32_t root, const int64_t *barrier)
{
    while (!is_over(m)) {
        if (tg_async_is_awaited_later(m, barrier)) return TG_STEP_READY;
        if (have_all_arrived(m, root, barrier) ? tg_async_hurry(m, barrier)
                                               : tg_async_hurry_arrival(m, barrier))
            continue;
        m->wait = m->awaited.inst->as.barrier->is_idle ? &wait_with_nothing_to_do : &wait_for_phase;
        return TG_STEP_WAITING;
    }
    return TG_STEP_GOING;
}

/* The thread has waited for its next phase, or another one has for it. */
static void count_wait(tg_machine *m, tg_barrier_step step, const tg_inst *inst,
                       const int64_t *barrier)
{
    const uint32_t root = inst->as.barrier->root;
    uint32_t *awaited = awaited_of(m, root, barrier);
    notify(m, step, inst, root, barrier, *awaited);
    if (inst->as.barrier->orders_products)
        tg_async_order_take_on(m, number_of(m, root, barrier), *awaited);
    ++*awaited;
}

static void count_waits(tg_machine *m, const tg_inst *inst, const int64_t *barrier)
{
    count_wait(m, TG_BARRIER_AWAITED, inst, barrier);
    for (int64_t i = 1; i <= inst->as.barrier->followers; i++) {
        tg_machine *follower = tg_machine_behind(m, i);
        if (follower) count_wait(follower, TG_BARRIER_FOLLOWED, inst, barrier);
    }
}

static void wait(tg_machine *m, const tg_inst *inst, const int64_t *barrier)
{
    const uint32_t root = inst->as.barrier->root;
    uint32_t *awaited = awaited_of(m, root, barrier);
    m->awaited = (struct tg_awaited){inst, barrier, *awaited};
    m->step = wait_for_phase_of(m, root, barrier);
    if (m->step != TG_STEP_GOING) {
        m->next = m->pc; /* the wait is executed again when the program goes on */
        return;
    }
    tg_semaphore_synchronises(m, inst, root, element_of_phase(m, root, barrier, *awaited));
    if (m->chain->async_ops.count) tg_async_phase_awaited(m, barrier, *awaited);
    count_waits(m, inst, barrier);
}

void tg_exec_barrier(tg_machine *m, const tg_inst *inst)
{
    int64_t *barrier = tg_semaphore_at(m, inst->as.barrier->ref);
    if (!barrier) return; /* outside its array, which has been reported */
    if (inst->op == TG_OP_barrier_arrive)
        arrive(m, inst, barrier);
    else if (inst->as.barrier->expects)
        expect(m, inst, barrier);
    else
        wait(m, inst, barrier);
}

void tg_exec_collective(tg_machine *m, const tg_inst *inst) { TG_DETECT(m, collective, m, inst) }
