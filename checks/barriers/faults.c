#include "checks/barriers/faults.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/sync/semaphore.h"

/* ---- the list ---- */

bool tg_barrier_faults_init(tg_barrier_faults *faults, uint32_t param_count)
{
    faults->param_count = param_count;
    faults->list = calloc((size_t)param_count * TG_FAULT_KINDS + 1, sizeof *faults->list);
    return faults->list != NULL;
}

void tg_barrier_faults_free(tg_barrier_faults *faults) { free(faults->list); }

void tg_barrier_faults_clear(tg_barrier_faults *faults)
{
    for (size_t i = 0; i < (size_t)faults->param_count * TG_FAULT_KINDS; i++)
        faults->list[i].is_there = false;
}

static bool is_before(const tg_barrier_act *at, const tg_barrier_act *other,
                      const tg_barrier_fault *than)
{
    if (tg_barrier_act_is_before(at, &than->at)) return true;
    if (tg_barrier_act_is_before(&than->at, at)) return false;
    return other && tg_barrier_act_is_before(other, &than->other);
}

/* Returns the finding to fill in; NULL if there is one of an earlier program or instruction. */
static tg_found *add(tg_barrier_faults *faults, tg_barrier_fault_kind fault, tg_finding_kind kind,
                     const tg_machine *m, const tg_barrier_use *use, const tg_barrier_act *at,
                     const tg_barrier_act *other, const char *role)
{
    tg_barrier_fault *f = &faults->list[(size_t)use->param * TG_FAULT_KINDS + fault];
    if (f->is_there && !is_before(at, other, f)) return NULL;
    const tg_param *param = &m->launch->plan->kernel->params[use->param];
    *f = (tg_barrier_fault){.is_there = true, .at = *at};
    f->found = (tg_found){.kind = kind,
                          .param = param,
                          .at = {.op = at->inst->op, .loc = at->inst->loc, .has_program = true},
                          .program_index = at->program_index,
                          .count = 1};
    memcpy(f->found.at.program, at->program, sizeof f->found.at.program);
    if (!other) return &f->found;
    f->other = *other;
    f->found.related_count = 1;
    f->found.related[0] = (tg_found_related){
        .role = role,
        .param = param,
        .at = {.op = other->inst->op, .loc = other->inst->loc, .has_program = true}};
    memcpy(f->found.related[0].at.program, other->program, sizeof other->program);
    return &f->found;
}

/* ---- texts ---- */

typedef struct name {
    char text[TG_SEMAPHORE_NAME];
} name;

static name name_of(const tg_machine *m, const tg_barrier_use *use)
{
    name n;
    tg_semaphore_name(m, use->param, use->barrier, n.text);
    return n;
}

static int64_t arrivals_of(const tg_machine *m, const tg_barrier_use *use)
{
    return m->launch->plan->kernel->params[use->param].arrivals;
}

static void advise(tg_found *found, const char *advice)
{
    snprintf(found->advice, sizeof found->advice, "%s", advice);
}

/* Which of the two comes first is for the order to choose: the finding is at the later one by
 * program. */
void tg_barrier_overrun(tg_barrier_faults *faults, const tg_machine *m, const tg_barrier_use *use,
                        const tg_barrier_act *one, const tg_barrier_act *two)
{
    const bool is_first = tg_barrier_act_is_before(one, two);
    const tg_barrier_act *at = is_first ? two : one, *other = is_first ? one : two;
    tg_found *found = add(faults, TG_FAULT_OVERRUN, TG_FINDING_BARRIER_OVERRUN, m, use, at, other,
                          "nothing orders it and");
    if (!found) return;
    snprintf(found->message, sizeof found->message,
             "%s may come before a phase of %s is complete, or after: the phase would have one too "
             "many, as %" PRId64 " arrival%s it",
             tg_ops[at->inst->op].name, name_of(m, use).text, arrivals_of(m, use),
             arrivals_of(m, use) == 1 ? " completes" : "s complete");
    advise(found, "A thread arrives at the next phase, or starts a copy for it, only once it knows "
                  "that some thread has waited for the phase before");
}

void tg_barrier_missed(tg_barrier_faults *faults, const tg_machine *m, const tg_barrier_use *use,
                       const tg_barrier_act *at, uint32_t phase, const tg_barrier_act *other)
{
    tg_found *found = add(faults, TG_FAULT_MISSED, TG_FINDING_PHASE_MISSED, m, use, at, other,
                          "the next phase is completed by");
    if (!found) return;
    snprintf(found->message, sizeof found->message,
             "%s waits for phase %" PRIu32 " of %s, but phase %" PRIu32
             " may be complete by then: a GPU knows only whether a phase is odd or even, and "
             "waits for phase %" PRIu32,
             tg_ops[at->inst->op].name, phase, name_of(m, use).text, phase + 1, phase + 2);
    advise(found, "Whoever completes the next phase must know that this thread has waited: let it "
                  "wait for another barrier, at which this thread arrives behind the wait");
}

void tg_barrier_unobserved(tg_barrier_faults *faults, const tg_machine *m,
                           const tg_barrier_use *use)
{
    tg_found *found =
        add(faults, TG_FAULT_UNOBSERVED, TG_FINDING_PHASE_UNOBSERVED, m, use,
            tg_barrier_acts_first(&use->now.arrivals), tg_barrier_acts_first(&use->before.arrivals),
            "the phase before was completed by");
    if (!found) return;
    snprintf(found->message, sizeof found->message,
             "phase %" PRIu32 " of %s is complete, but no thread has waited for phase %" PRIu32,
             use->now.number, name_of(m, use).text, use->before.number);
}

void tg_barrier_arrivals_left(tg_barrier_faults *faults, const tg_machine *m,
                              const tg_barrier_use *use, int64_t lacks)
{
    const tg_phase_acts *now = &use->now;
    size_t threads = 0;
    for (size_t i = 0; i < use->thread_count; i++) threads += use->threads[i].arrives;
    tg_found *found =
        add(faults, TG_FAULT_ARRIVALS_LEFT, TG_FINDING_SEMAPHORE_LEFT, m, use,
            now->arrivals.count ? tg_barrier_acts_first(&now->arrivals) : tg_barrier_first_use(use),
            NULL, NULL);
    if (!found) return;
    char bytes[96] = "";
    if (lacks)
        snprintf(bytes, sizeof bytes,
                 ", and copies have brought %" PRId64 " bytes %s than expected,",
                 lacks > 0 ? lacks : -lacks, lacks > 0 ? "less" : "more");
    snprintf(found->message, sizeof found->message,
             "%s has %zu of the %" PRId64 " arrivals of phase %" PRIu32
             "%s where its memory ends; %zu thread%s at it",
             name_of(m, use).text, now->arrivals.count, arrivals_of(m, use), now->number, bytes,
             threads, threads == 1 ? " arrives" : "s arrive");
}

void tg_barrier_phases_left(tg_barrier_faults *faults, const tg_machine *m,
                            const tg_barrier_use *use, const tg_barrier_thread *thread)
{
    tg_found *found = add(faults, TG_FAULT_PHASES_LEFT, TG_FINDING_PHASES_LEFT, m, use,
                          &thread->first, NULL, NULL);
    if (!found) return;
    snprintf(found->message, sizeof found->message,
             "the thread has waited for %" PRIu32 " of the %" PRIu32
             " phases of %s where its memory ends: if the kernel allocates another barrier in the "
             "same place, a GPU takes the phases that are left for phases of that one",
             thread->awaited, use->now.number, name_of(m, use).text);
}

/* ---- the report ---- */

static bool has_overrun(const tg_barrier_faults *faults)
{
    for (uint32_t p = 0; p < faults->param_count; p++)
        if (faults->list[(size_t)p * TG_FAULT_KINDS + TG_FAULT_OVERRUN].is_there) return true;
    return false;
}

void tg_barrier_faults_report(const tg_barrier_faults *faults, tg_findings *findings)
{
    const int kinds = has_overrun(faults) ? TG_FAULT_OVERRUN + 1 : TG_FAULT_KINDS;
    for (uint32_t p = 0; p < faults->param_count; p++) {
        const tg_barrier_fault *of_param = &faults->list[(size_t)p * TG_FAULT_KINDS];
        int kind = 0;
        while (kind < kinds && !of_param[kind].is_there) kind++;
        if (kind < kinds) tg_findings_add(findings, &of_param[kind].found);
    }
}
