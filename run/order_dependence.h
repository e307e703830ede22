/* Checks whether outputs depend on the order of programs that nothing orders. */
#ifndef TG_RUN_ORDER_DEPENDENCE_H
#define TG_RUN_ORDER_DEPENDENCE_H

#include "run/run.h"

typedef struct tg_order_search {
    /* The search replaces their order, checks, trace and observer. */
    const tg_run_settings *settings;
    /* As for tg_runner_run: the inputs, and the outputs as order sequential left them. */
    void *const *data;
    const int64_t *dynamic_grid;
    const tg_order *orders; /* to try, one after the other */
    size_t order_count;
} tg_order_search;

/* Runs the kernel in each of the orders and compares the outputs bit for bit; any two NaNs are
 * equal.  At the first order that makes a difference, the search looks for two neighbours in the
 * sequence of chains that make the difference by changing places, and adds one finding, with the
 * order that shows it.  In each order it also runs the checks of the settings, and adds the
 * findings that only that order shows; `findings` has those of order sequential.  Returns TG_OK, or
 * what tg_runner_run returns. */
tg_status tg_order_search_run(const tg_order_search *search, tg_findings *findings,
                              tg_diags *diags);

#endif
