#include "checks/clocks/clocks.h"

#include <assert.h>
#include <stdlib.h>

#include "checks/checks.h"
#include "checks/shared_memory.h"
#include "interp/state/machine.h"

/* Returns NULL if nobody asks. */
static tg_thread_clocks *find(const tg_launch *launch)
{
    const tg_attached *all = &launch->detectors;
    for (uint32_t d = 0; d < all->count; d++)
        if (all->kind[d] == &tg_detector_clocks) return all->state[d];
    return NULL;
}

tg_thread_clocks *tg_clocks_of(const tg_launch *launch)
{
    tg_thread_clocks *const clocks = find(launch);
    assert(clocks); /* see is_asked */
    return clocks;
}

/* ---- before all that ask ---- */

/* Wherever a detector asks: barriers where there are any, peers in clusters, and those of proxies where
 * memory is shared. */
static bool is_asked(const tg_launch *launch)
{
    const tg_kernel *kernel = launch->plan->kernel;
    const bool has_proxies = launch->checks & (TG_CHECK_PROXIES | TG_CHECK_GPU_STRICT);
    for (uint32_t p = 0; p < kernel->param_count; p++) {
        const tg_param *param = &kernel->params[p];
        if (param->array.dtype == TG_DT_barrier || param->cluster > 0) return true;
        if (has_proxies && tg_param_is_shared_memory(param)) return true;
    }
    return false;
}

static void free_clocks(void *state)
{
    tg_thread_clocks_free(state);
    free(state);
}

static bool make(const tg_launch *launch, void **state)
{
    tg_thread_clocks *c = calloc(1, sizeof *c);
    if (!c) return false;
    if (!tg_thread_clocks_init(c, launch->plan)) {
        free_clocks(c);
        return false;
    }
    *state = c;
    return true;
}

static bool begin(void *state, const tg_run_begin *run)
{
    (void)run;
    tg_thread_clocks_begin(state);
    return true;
}

static bool report(void *state, tg_run_end *run)
{
    (void)run;
    return !((const tg_thread_clocks *)state)->is_incomplete;
}

static void accessed(void *own, const tg_access_event *event)
{
    tg_thread_clocks_enter(own);
    tg_clocks_atomic(own, event);
    tg_thread_clocks_leave(own);
}

static void threads_joined(tg_machine *m)
{
    tg_thread_clocks_enter(m->own);
    tg_clocks_joined(m->own, m);
    tg_thread_clocks_leave(m->own);
}

static void async_ends(tg_machine *m, const struct tg_async_op *op)
{
    tg_thread_clocks_enter(m->own);
    tg_clocks_async_ends(m->own, m, op);
    tg_thread_clocks_leave(m->own);
}

static void proxies_fenced(tg_machine *m)
{
    tg_thread_clocks_enter(m->own);
    tg_clocks_fence(m->own, m);
    tg_thread_clocks_leave(m->own);
}

static void follow_barrier(tg_machine *m, const tg_barrier_event *event, tg_barrier_step step)
{
    if (event->step != step) return;
    tg_thread_clocks_enter(m->own);
    tg_clocks_at_barrier(m->own, m, event);
    tg_thread_clocks_leave(m->own);
}

static void takes_on(tg_machine *m, const tg_barrier_event *event)
{
    follow_barrier(m, event, TG_BARRIER_AWAITED);
}

/* ---- behind all that ask ---- */

static bool share(const tg_launch *launch, void **state)
{
    *state = find(launch);
    return true;
}

static void hands_on(tg_machine *m, const tg_barrier_event *event)
{
    follow_barrier(m, event, TG_BARRIER_ARRIVAL);
}

static void async_starts(tg_machine *m, const struct tg_async_op *op)
{
    tg_thread_clocks_enter(m->own);
    tg_clocks_async_starts(m->own, m, op);
    tg_thread_clocks_leave(m->own);
}

/* ---- the detectors ---- */

const tg_detector tg_detector_clocks = {.wants = is_asked,
                                        .accesses = TG_ACCESS_ATOMIC,
                                        .make = make,
                                        .free = free_clocks,
                                        .begin = begin,
                                        .report = report,
                                        .accessed = accessed,
                                        .threads_joined = threads_joined,
                                        .async_ends = async_ends,
                                        .at_barrier = takes_on,
                                        .proxies_fenced = proxies_fenced};
const tg_detector tg_detector_hand_on = {
    .make = share, .async_starts = async_starts, .at_barrier = hands_on};
