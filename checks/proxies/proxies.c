/* Proxies: whether a copy sees what threads have written to shared memory.
 *
 * Threads access memory by the generic proxy, and copies that run beside them by the asynchronous one.
 * That an access of one comes before that of the other is not enough: a fence of proxies must lie
 * between, by any thread that knows of the first access and that the second one knows of.  The start
 * of a copy stands for its accesses; what may come between start and access is a race, or in flight.
 *
 *   proxies      what a copy reads was written before such a fence
 *   gpu_strict   what a copy overwrites was also read and written before such a fence.  Kernels do
 *                without: they only make sure that threads are done.
 *
 * The end of a copy is a fence as well: nothing must lie between it and an access by threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/checks.h"
#include "checks/clocks/clocks.h"
#include "checks/element_of_byte.h"
#include "checks/proxies/touches.h"
#include "checks/shared_memory.h"
#include "interp/state/actors.h"
#include "interp/state/found.h"
#include "interp/sync/async_op.h"

typedef struct proxies {
    tg_thread_clocks *clocks; /* shared, see checks/clocks/clocks.h */
    tg_touches touches;
    const tg_kernel *kernel;
    bool is_strict;
    int64_t actors; /* that are programs */
} proxies;

/* ---- accesses of threads ---- */

static void accessed(void *own, const tg_access_event *event)
{
    proxies *p = own;
    if (event->actor >= p->actors || !tg_param_is_shared_memory(&p->kernel->params[event->param]))
        return;
    tg_thread_clocks_enter(p->clocks);
    tg_touches_add(&p->touches, event, tg_thread_time(p->clocks, event->actor));
    tg_thread_clocks_leave(p->clocks);
}

/* ---- copies ---- */

typedef struct search {
    proxies *p;
    const tg_machine *m;
    const unsigned char *data; /* of the memory */
    tg_last_touches *touches;
    const tg_touch *found; /* of the first byte that was accessed without a fence behind it */
    int64_t first, last;
    uint32_t cleared; /* the touch that was looked at last, and is not one */
} search;

static void look_at_touches(void *context, uint32_t number, int64_t first, int64_t count)
{
    search *s = context;
    if (!number || number == s->cleared) return;
    const tg_touch *t = tg_touch_of(&s->p->touches, number);
    if (tg_thread_knows_fenced(s->p->clocks, s->m->actor, t->actor, t->time)) {
        s->cleared = number;
        return;
    }
    if (!s->found || first < s->first) {
        s->found = t;
        s->first = first;
    }
    if (first + count - 1 > s->last) s->last = first + count - 1;
}

static void look_at_run(void *context, const unsigned char *first, int64_t bytes)
{
    search *s = context;
    tg_plane_visit(&s->touches->numbers, first - s->data, bytes, look_at_touches, s);
}

/* Reports what was found of touches of a kind: the op is about to access memory of parameter `root`. */
static void report_unfenced(tg_machine *m, const tg_async_op *op, uint32_t root, bool writes,
                            const search *s)
{
    const tg_kernel *kernel = s->p->kernel;
    const tg_param *param = &kernel->params[root];
    const bool was_written = s->touches->reader == TG_TOUCHES_WRITE;
    char index[TG_INDEX_TEXT], ignored[TG_INDEX_TEXT];
    tg_found found = tg_machine_finding(
        m, writes ? TG_FINDING_OVERWRITE_UNFENCED : TG_FINDING_PROXY_FENCE_MISSING, op->inst,
        param);
    found.has_elements = true;
    found.first = tg_element_of_byte(kernel, root, s->first, index);
    found.last = tg_element_of_byte(kernel, root, s->last, ignored);
    snprintf(found.message, sizeof found.message,
             "%s %s %s%s, which a thread has %s, and no fence of proxies lies between: on a GPU it "
             "may %s",
             tg_ops[op->inst->op].name, writes ? "overwrites" : "reads", param->name, index,
             was_written ? "written" : "read",
             writes ? "come first" : "read what was there before");
    snprintf(found.advice, sizeof found.advice,
             "Let the thread execute proxy_fence (plgpu.commit_smem) behind its access, before it "
             "starts the op or arrives at the barrier that the starter waits for");
    found.related_count = 1;
    found.related[0] = (tg_found_related){
        .role = was_written ? "it was written by" : "it was read by",
        .param = param,
        .at = {.op = s->found->inst->op, .loc = s->found->inst->loc, .has_program = true}};
    memcpy(found.related[0].at.program, s->found->program, sizeof s->found->program);
    tg_findings_add(m->launch->findings, &found);
}

static void compare(proxies *p, tg_machine *m, const tg_async_op *op, const tg_async_side *side,
                    uint32_t root, tg_last_touches *touches)
{
    search s = {.p = p, .m = m, .data = side->ref.data, .touches = touches};
    tg_async_side_runs(side, look_at_run, &s);
    if (s.found) report_unfenced(m, op, root, side == &op->to, &s);
}

static bool is_shared(const proxies *p, uint32_t root)
{
    return root != UINT32_MAX && tg_param_is_shared_memory(&p->kernel->params[root]);
}

static void look_at_source(proxies *p, tg_machine *m, const tg_async_op *op, uint32_t number)
{
    const tg_async_side *side = &op->source[number];
    const uint32_t root = op->inst->as.async->source[number].root;
    if (!is_shared(p, root) || p->is_strict) return;
    tg_touched_memory *memory = tg_touched_at(&p->touches, side->ref.data, m->chain->number);
    tg_last_touches *writes = memory ? tg_last_touches_of(memory, TG_TOUCHES_WRITE) : NULL;
    if (writes) compare(p, m, op, side, root, writes);
}

static void clear_run(void *context, const unsigned char *first, int64_t bytes)
{
    const search *s = context;
    tg_last_touches_clear(s->touches, first - s->data, bytes);
}

static void look_at_target(proxies *p, tg_machine *m, const tg_async_op *op)
{
    const uint32_t root = op->inst->as.async->to.root;
    if (!is_shared(p, root)) return;
    tg_touched_memory *memory = tg_touched_at(&p->touches, op->to.ref.data, m->chain->number);
    for (size_t i = 0; memory && i < memory->count; i++) {
        search s = {.data = op->to.ref.data, .touches = &memory->list[i]};
        if (p->is_strict) compare(p, m, op, &op->to, root, &memory->list[i]);
        tg_async_side_runs(&op->to, clear_run, &s);
    }
}

/* Copies that tell a semaphore are those of a TPU, which has no proxies. */
static bool starts_op(const tg_inst *inst)
{
    return inst->kind == TG_I_PRODUCT ||
           (inst->kind == TG_I_DMA && inst->as.async->told != TG_ASYNC_TELLS_SEMAPHORE);
}

static void async_starts(tg_machine *m, const tg_async_op *op)
{
    proxies *p = m->own;
    if (!starts_op(op->inst)) return;
    tg_thread_clocks_enter(p->clocks);
    for (uint32_t i = 0; i < op->inst->as.async->source_count; i++) look_at_source(p, m, op, i);
    look_at_target(p, m, op);
    tg_thread_clocks_leave(p->clocks);
}

/* ---- the detectors ---- */

static bool wants(const tg_launch *launch)
{
    const tg_plan *plan = launch->plan;
    bool has_shared = false, has_copies = false;
    for (uint32_t p = 0; p < plan->kernel->param_count; p++)
        has_shared = has_shared || tg_param_is_shared_memory(&plan->kernel->params[p]);
    for (uint32_t i = 0; i < plan->body.count; i++)
        has_copies = has_copies || starts_op(&plan->body.list[i]);
    return has_shared && has_copies;
}

static void free_proxies(void *state)
{
    proxies *p = state;
    tg_touches_free(&p->touches);
    free(p);
}

static bool make(const tg_launch *launch, bool is_strict, void **state)
{
    proxies *p = calloc(1, sizeof *p);
    if (!p) return false;
    p->kernel = p->touches.kernel = launch->plan->kernel;
    p->is_strict = is_strict;
    p->clocks = tg_clocks_of(launch);
    *state = p;
    return true;
}

static bool make_permissive(const tg_launch *launch, void **state)
{
    return make(launch, false, state);
}

static bool make_strict(const tg_launch *launch, void **state) { return make(launch, true, state); }

static bool begin(void *state, const tg_run_begin *run)
{
    proxies *p = state;
    tg_touches_clear(&p->touches);
    p->actors = tg_actor_count(run->grid);
    return true;
}

static bool report(void *state, tg_run_end *run)
{
    const proxies *p = state;
    (void)run;
    return !p->touches.is_incomplete;
}

#define EVENTS                                                                                     \
    .wants = wants, .free = free_proxies, .begin = begin, .report = report, .accessed = accessed,  \
    .async_starts = async_starts

const tg_detector tg_detector_proxies = {.checks = TG_CHECK_PROXIES,
                                         .accesses = TG_ACCESS_WRITE | TG_ACCESS_ATOMIC,
                                         .make = make_permissive,
                                         EVENTS};
const tg_detector tg_detector_gpu_strict = {.checks = TG_CHECK_GPU_STRICT,
                                            .accesses =
                                                TG_ACCESS_READ | TG_ACCESS_WRITE | TG_ACCESS_ATOMIC,
                                            .make = make_strict,
                                            EVENTS};
