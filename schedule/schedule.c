#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "schedule/schedule.h"

#include "schedule/programs.h"
#include "schedule/scheduler.h"
#include "schedule/threads.h"

/* Walks the whole grid on one thread. */
static tg_status on_one_thread(tg_walk *w)
{
    const int64_t chains = w->grid->chains;
    tg_scheduler s = {.walk = w, .end = chains};
    /* With fewer machines the seed would mean another interleaving. */
    const int64_t most = w->order->kind == TG_ORDER_INTERLEAVED ? TG_LIVE_AT_ONCE : 1;
    const int wanted = (int)(chains < most ? chains : most);
    if (tg_walk_machines(w, wanted) < wanted) return TG_ERR_NO_MEMORY;
    if (tg_order_is_listed(w->order) && !(s.list = tg_order_list(w->order, chains)))
        return TG_ERR_NO_MEMORY;
    const tg_status status = tg_scheduler_run(&s);
    tg_scheduler_free(&s);
    return status;
}

tg_status tg_walk_run(tg_walk *w)
{
    w->done = w->next = 0;
    w->taken = 0;
    w->ended = w->patience = 0;
    w->asked = 0;
    w->threads = 1;
    w->is_stopped = w->is_shared = false;
    w->where[0] = '\0';
    w->launch->wants_stop = w->progress ? tg_walk_show_progress : NULL;
    w->launch->stop_context = w;
    w->launch->order = w->order;
    if (w->progress) clock_gettime(CLOCK_MONOTONIC, &w->shown);
    const tg_plan *plan = w->launch->plan;
    /* Which chain is taken over by whom must not depend on threads. */
    const bool is_on_threads = w->order->kind == TG_ORDER_PARALLEL && !plan->is_coupled &&
                               !plan->has_threads && !plan->cancels;
    return is_on_threads ? tg_walk_threads(w) : on_one_thread(w);
}
