#include "checks/clocks/clocks.h"

#include <stdlib.h>

#include "checks/checks.h"
#include "interp/state/machine.h"

tg_thread_clocks *tg_clocks_of(const tg_launch *launch)
{
    const tg_attached *all = &launch->detectors;
    for (uint32_t d = 0; d < all->count; d++)
        if (all->kind[d] == &tg_detector_clocks) return all->state[d];
    return NULL;
}

/* ---- before all that ask ---- */

static bool is_asked(const tg_launch *launch)
{
    static const tg_detector *const asking[] = {&tg_detector_barriers, &tg_detector_peers,
                                                &tg_detector_proxies, &tg_detector_gpu_strict};
    bool is_found = false;
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
        is_found = is_found || tg_detector_is_wanted(asking[i], launch);
    return is_found;
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
    *state = tg_clocks_of(launch);
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
