/* What is reported of an element that depends on the order of programs. */
#ifndef TG_RUN_ORDER_FINDING_H
#define TG_RUN_ORDER_FINDING_H

#include "interp/memory/last_writer.h"
#include "interp/state/order.h"
#include "plan/grid.h"
#include "report/compare.h"
#include "report/finding.h"

/* An element that differs between two orders. */
typedef struct tg_order_difference {
    uint32_t param;
    bool is_rounding; /* proven to be rounding only */
    /* Of the param: `got` is from `order`, `want` from order sequential. */
    tg_comparison comparison;
    tg_order order;
} tg_order_difference;

/* All that is known of it.  `data` has the memory of all params. */
typedef struct tg_order_account {
    const tg_order_difference *difference;
    const tg_kernel *kernel;
    const tg_grid *grid;
    const int64_t *pair; /* two chains that make the difference by changing places; NULL: unknown */
    struct tg_order_side {
        void *const *data;
        tg_last_writer writer;
    } sequential, other;
} tg_order_account;

/* Returns the finding. */
tg_found tg_order_finding(const tg_order_account *a);

#endif
