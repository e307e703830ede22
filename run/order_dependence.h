/* Whether the outputs depend on the order in which programs run that nothing orders. */
#ifndef TG_RUN_ORDER_DEPENDENCE_H
#define TG_RUN_ORDER_DEPENDENCE_H

#include "run/run.h"

typedef struct tg_order_search {
    const tg_run_settings
        *settings; /* but for the order, checks, trace and observer, which are the search's */
    void *const
        *data; /* as for tg_runner_run: inputs, and what the outputs were in order sequential */
    const int64_t *dynamic_grid;
    const tg_order *orders; /* that are tried, one after the other */
    size_t order_count;
} tg_order_search;

/* Runs the kernel in each of the orders and compares what it leaves, bit for bit, a NaN with any other.  At the first order
 * that makes a difference the search goes on for two neighbours in the sequence of chains that do so by changing places, and adds one
 * finding, with the order that shows it.  In each order the checks of the settings are made, and what they find there alone is added,
 * too; `findings` has those of order sequential.
 * TG_OK, or what tg_runner_run returns. */
tg_status tg_order_search_run(const tg_order_search *search, tg_findings *findings,
                              tg_diags *diags);

#endif
