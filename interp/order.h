/* Orders: policies that say which program of the grid runs when.
 *
 * The grid falls into *chains*: the programs that share their place on the `parallel` axes form one chain and
 * run in the order of the `arbitrary` axes, which no policy breaks.  Policies choose among chains. */
#ifndef TG_INTERP_ORDER_H
#define TG_INTERP_ORDER_H

#include <stdbool.h>

#include "ir/diag.h"

typedef enum tg_order_kind {
    TG_ORDER_SEQUENTIAL,
    TG_ORDER_REVERSED,
    TG_ORDER_SHUFFLED,
    TG_ORDER_PARALLEL,
    TG_ORDER_INTERLEAVED
} tg_order_kind;

typedef struct tg_order {
    tg_order_kind kind;
    uint64_t seed; /* SHUFFLED, INTERLEAVED */
    int threads;   /* PARALLEL; 0: as many as the machine has */
} tg_order;

/* Reads "sequential", "reversed", "shuffled[:SEED]", "parallel[:THREADS]", "interleaved[:SEED]" (seed 0 where
 * none is given).  TG_ERR_USAGE with a diagnosis. */
tg_status tg_order_parse(const char *text, tg_order *out, tg_diags *diags);

enum { TG_ORDER_TEXT = 40 }; /* room for the text of any order */

/* The text that tg_order_parse reads as `order`; returns `out`. */
char *tg_order_print(const tg_order *order, char *out, size_t size);

/* Which of `count` chains runs as number `turn`.  A permutation; no memory is used however large the grid. */
int64_t tg_order_pick(const tg_order *order, int64_t turn, int64_t count);

/* The n-th number of the stream that `seed` names. */
uint64_t tg_random(uint64_t seed, uint64_t n);

#endif
