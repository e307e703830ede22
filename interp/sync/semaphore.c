/* Semaphores are in scratch or in scoped memory, so each chain has its own, unless all share a
 * parameter.  The chain's own program and its copies signal them, and so do other chains if the
 * kernel names this chain or they share it.  A wait that none of these can satisfy never ends. */
#include "interp/sync/semaphore.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "interp/sync/async.h"
#include "interp/state/found.h"
#include "interp/state/handlers.h"
#include "interp/state/operand.h"
#include "interp/spin/spin.h"
#include "interp/memory/notify.h"
#include "base/list.h"

int64_t *tg_semaphore_at(const tg_machine *m, tg_ref_id id)
{
    const tg_ref *ref = &m->refs[id];
    if (ref->is_nothing) return NULL;
    return (int64_t *)(void *)ref->data + ref->origin;
}

void tg_semaphore_name(const tg_machine *m, uint32_t root, const int64_t *semaphore,
                       char out[TG_SEMAPHORE_NAME])
{
    if (root == UINT32_MAX) {
        snprintf(out, TG_SEMAPHORE_NAME, "a scoped semaphore");
        return;
    }
    const tg_param *param = &m->launch->plan->kernel->params[root];
    const int64_t *first = (const void *)tg_machine_memory(m, root);
    char index[TG_INDEX_TEXT] = "";
    if (param->array.rank) tg_index_print(&param->array, semaphore - first, index);
    snprintf(out, TG_SEMAPHORE_NAME, "%.60s%s", param->name, index);
}

static tg_signal *signal_of(const tg_chain *chain, const int64_t *semaphore)
{
    for (uint32_t i = 0; i < chain->signals.count; i++)
        if (chain->signals.list[i].semaphore == semaphore) return &chain->signals.list[i];
    return NULL;
}

/* The chain that has the semaphores that an instruction is about; those in no parameter's memory
 * (UINT32_MAX) are its program's. */
static tg_chain *owner_of(const tg_machine *m, uint32_t root)
{
    return root == UINT32_MAX ? m->chain : tg_machine_owner(m, root);
}

/* Also names who raised it last: there a signal was forgotten, or too small.  A semaphore that is 0
 * may have been raised in an earlier scope, where it was another one. */
static void report_deadlock(tg_machine *m, const tg_inst *inst, const int64_t *semaphore,
                            int64_t wanted)
{
    const struct tg_inst_semaphore *plan = inst->as.semaphore;
    const tg_param *param =
        plan->root == UINT32_MAX ? NULL : &m->launch->plan->kernel->params[plan->root];
    const tg_signal *last = *semaphore > 0 ? signal_of(owner_of(m, plan->root), semaphore) : NULL;
    tg_found found = tg_machine_finding(m, TG_FINDING_DEADLOCK, inst, param);
    char name[TG_SEMAPHORE_NAME];
    tg_semaphore_name(m, plan->root, semaphore, name);
    snprintf(found.message, sizeof found.message,
             "%s waits for %s to be %" PRId64 "; it is %" PRId64
             ", no copy on its way will raise it, and nobody else can.  The program ends here",
             tg_ops[inst->op].name, name, wanted, *semaphore);
    if (last) {
        found.related_count = 1;
        found.related[0] = (tg_found_related){
            .role = "it was raised last by",
            .param = param,
            .at = {.op = last->inst->op, .loc = last->inst->loc, .has_program = true}};
        memcpy(found.related[0].at.program, last->program, sizeof last->program);
    }
    tg_findings_add(m->launch->findings, &found);
}

/* ---- waiting ---- */

static bool is_over(const tg_machine *m) { return *m->awaited.semaphore >= m->awaited.wanted; }

bool tg_semaphores_are_shared(const tg_machine *m)
{
    return m->launch->chains || m->launch->threads > 1;
}

/* Before a program waits, its own copies that could raise the semaphore have taken place. */
bool tg_awaited_may_end(const tg_machine *m) { return tg_semaphores_are_shared(m); }

void tg_awaited_places(const tg_machine *m,
                       void (*visit)(void *context, const unsigned char *at, size_t bytes),
                       void *context)
{
    visit(context, (const void *)m->awaited.semaphore, sizeof *m->awaited.semaphore);
}

static void report(tg_machine *m, const tg_machine *const *others, int count)
{
    (void)others, (void)count;
    report_deadlock(m, m->awaited.inst, m->awaited.semaphore, m->awaited.wanted);
}

static const tg_wait wait_for_semaphore = {.is_over = is_over,
                                           .may_end = tg_awaited_may_end,
                                           .places = tg_awaited_places,
                                           .report = report};

static int64_t bytes_awaited(const tg_machine *m, const struct tg_inst_semaphore *wait)
{
    int64_t bytes = tg_dtypes[wait->copied_type.dtype].bytes;
    for (int d = 0; d < wait->copied_type.rank; d++) bytes *= m->refs[wait->copied].shape[d];
    return bytes;
}

static tg_step wait_for(tg_machine *m, const tg_inst *inst, int64_t *semaphore, int64_t wanted)
{
    while (*semaphore < wanted) {
        if (tg_async_is_awaited_later(m, semaphore)) return TG_STEP_READY;
        if (tg_async_hurry(m, semaphore)) continue;
        m->awaited = (struct tg_awaited){inst, semaphore, wanted};
        m->wait = &wait_for_semaphore;
        return TG_STEP_WAITING;
    }
    if (inst->as.semaphore->keeps) return TG_STEP_GOING;
    *semaphore -= wanted;
    if (m->spin) tg_spin_wrote_semaphore(m, semaphore);
    if (m->chain->async_ops.count) tg_async_awaited(m, semaphore);
    return TG_STEP_GOING;
}

static void read_semaphore(tg_machine *m, const tg_inst *inst, const int64_t *semaphore)
{
    const tg_operand *out = &inst->as.semaphore->value;
    if (!semaphore) {
        tg_operand_set_int(m, out, 0);
        return;
    }
    if (m->chain->async_ops.count) tg_async_polled(m, semaphore);
    if (m->spin) tg_spin_read_semaphore(m, inst, inst->as.semaphore->root, semaphore);
    tg_operand_set_int(m, out, *semaphore > INT32_MAX ? INT32_MAX : *semaphore);
}

/* Notes that the program of `by` has raised a semaphore of the chain. */
static void note_signal(tg_chain *chain, const tg_machine *by, const tg_inst *inst,
                        const int64_t *semaphore)
{
    tg_signals *s = &chain->signals;
    tg_signal *at = signal_of(chain, semaphore);
    if (!at) {
        tg_signal *list = tg_list_grow(s->list, s->count, &s->capacity, sizeof *list);
        if (!list) {
            by->launch->findings->is_incomplete = true;
            return;
        }
        s->list = list;
        at = &list[s->count++];
    }
    *at = (tg_signal){.semaphore = semaphore, .inst = inst, .program_index = by->program_index};
    memcpy(at->program, by->program, sizeof at->program);
}

/* ---- other chains ---- */

static tg_chain *chain_named(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_semaphore *plan = inst->as.semaphore;
    if (!plan->has_chain) return owner_of(m, plan->root);
    const int64_t chain = tg_operand_int(m, &plan->chain);
    if (chain >= 0 && chain < m->launch->chain_count) return m->launch->chains[chain];
    tg_machine_found(m, TG_FINDING_ACCESS_OUTSIDE_REF, inst,
                     &m->launch->plan->kernel->params[plan->root],
                     "%s names chain %" PRId64 "; legal is 0 to %" PRId64, tg_ops[inst->op].name,
                     chain, m->launch->chain_count - 1);
    return NULL;
}

void tg_semaphore_synchronises(const tg_machine *m, const tg_inst *inst, uint32_t root,
                               int64_t first)
{
    if (!(m->launch->watched & TG_ACCESS_ATOMIC)) return;
    tg_access_event event = {.kind = TG_ACCESS_ATOMIC,
                             .param = root,
                             .width = sizeof(int64_t),
                             .inst = inst,
                             .first = first,
                             .rank = 1,
                             .count = {1},
                             .stride = {1}};
    tg_machine_accessed(m, &event);
}

/* Notifies observers that this program releases by `semaphore` of `owner` or, in a wait,
 * acquires. */
static void notify_synchronised(const tg_machine *m, const tg_chain *owner, const tg_inst *inst,
                                const int64_t *semaphore)
{
    const struct tg_inst_semaphore *plan = inst->as.semaphore;
    if (plan->root == UINT32_MAX) return;
    const int64_t *first = (const void *)(owner->scratch + m->launch->scratch_offset[plan->root]);
    const int64_t count = tg_type_count(&m->launch->plan->kernel->params[plan->root].array);
    tg_semaphore_synchronises(m, inst, plan->root, (semaphore - first) + owner->number * count);
}

void tg_semaphore_raised(const tg_machine *m, const tg_inst *inst, uint32_t root,
                         const int64_t *semaphore)
{
    if (!m->launch->written || root == UINT32_MAX || !tg_semaphores_are_shared(m)) return;
    const tg_access_event event = {.kind = TG_ACCESS_WRITE,
                                   .param = root,
                                   .width = sizeof *semaphore,
                                   .data = (unsigned char *)(uintptr_t)semaphore,
                                   .inst = inst,
                                   .program = m->program,
                                   .program_index = m->program_index,
                                   .chain = m->chain->number,
                                   .actor = m->actor,
                                   .rank = 1,
                                   .count = {1},
                                   .stride = {1}};
    m->launch->written(m->launch->written_context, &event);
}

static void tell(tg_machine *m, const tg_semaphore_event *event)
{
    TG_DETECT(m, at_semaphore, m, event)
}

void tg_semaphore_tell(tg_machine *m, const tg_inst *inst, uint32_t root, const int64_t *semaphore,
                       int64_t amount)
{
    const tg_semaphore_event event = {true, inst, root, semaphore, owner_of(m, root), amount};
    tell(m, &event);
}

static void signal_semaphore(tg_machine *m, const tg_inst *inst, int64_t *semaphore)
{
    const struct tg_inst_semaphore *plan = inst->as.semaphore;
    tg_chain *owner = chain_named(m, inst);
    if (!owner) return;
    if (plan->has_chain)
        semaphore = (void *)(owner->scratch + ((unsigned char *)semaphore - m->chain->scratch));
    const int64_t amount = tg_operand_int(m, &plan->value);
    *semaphore += amount;
    tell(m, &(tg_semaphore_event){true, inst, plan->root, semaphore, owner, amount});
    if (m->spin) tg_spin_wrote_semaphore(m, semaphore);
    note_signal(owner, m, inst, semaphore);
    if (!tg_semaphores_are_shared(m)) return;
    notify_synchronised(m, owner, inst, semaphore);
    tg_semaphore_raised(m, inst, plan->root, semaphore);
}

/* Waits, in any of the ways; a program that waits executes this again when it goes on. */
static void wait(tg_machine *m, const tg_inst *inst, int64_t *semaphore, int64_t wanted)
{
    const uint32_t root = inst->as.semaphore->root;
    m->step = wait_for(m, inst, semaphore, wanted);
    if (m->step != TG_STEP_GOING) {
        m->next = m->pc;
        return;
    }
    tell(m, &(tg_semaphore_event){false, inst, root, semaphore, owner_of(m, root), wanted});
}

void tg_exec_semaphore(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_semaphore *plan = inst->as.semaphore;
    int64_t *semaphore = tg_semaphore_at(m, plan->ref);
    if (inst->op == TG_OP_semaphore_read) {
        read_semaphore(m, inst, semaphore);
        return;
    }
    if (!semaphore) return; /* outside its array, which has been reported */
    switch (inst->op) {
    case TG_OP_dma_wait: wait(m, inst, semaphore, bytes_awaited(m, plan)); return;
    case TG_OP_semaphore_signal: signal_semaphore(m, inst, semaphore); return;
    default:
        wait(m, inst, semaphore, tg_operand_int(m, &plan->value));
        if (m->step == TG_STEP_GOING && tg_semaphores_are_shared(m))
            notify_synchronised(m, owner_of(m, plan->root), inst, semaphore);
        return;
    }
}

/* The finding is located at the last signal. */
static void report_left(tg_machine *m, const tg_inst *inst, const tg_param *param,
                        const int64_t *semaphore)
{
    const tg_signal *last = signal_of(m->chain, semaphore);
    tg_found found =
        tg_machine_finding(m, TG_FINDING_SEMAPHORE_LEFT, last ? last->inst : inst, param);
    char name[TG_SEMAPHORE_NAME];
    if (last) {
        memcpy(found.at.program, last->program, sizeof found.at.program);
        found.program_index = last->program_index;
    }
    tg_semaphore_name(m, param ? (uint32_t)(param - m->launch->plan->kernel->params) : UINT32_MAX,
                      semaphore, name);
    snprintf(found.message, sizeof found.message,
             "%s is %" PRId64 " where its memory ends; it must be 0", name, *semaphore);
    tg_findings_add(m->launch->findings, &found);
}

void tg_semaphores_end(tg_machine *m, const tg_inst *inst, const tg_param *param,
                       const int64_t *semaphores, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (!semaphores[i]) continue;
        report_left(m, inst, param, &semaphores[i]);
        return;
    }
}
