/* Orders: policies that say which program of the grid runs when.
 *
 * The grid falls into *chains*: the programs that share their place on the `parallel` axes form one
 * chain and run in the order of the `arbitrary` axes, which no policy breaks.  Policies choose
 * among chains. */
#ifndef TG_INTERP_STATE_ORDER_H
#define TG_INTERP_STATE_ORDER_H

#include <stdbool.h>

#include "base/diag.h"

typedef enum tg_order_kind {
    TG_ORDER_SEQUENTIAL,
    TG_ORDER_REVERSED,
    TG_ORDER_SHUFFLED,
    TG_ORDER_PARALLEL,
    TG_ORDER_INTERLEAVED,
    TG_ORDER_REPLAY
} tg_order_kind;

/* Sequential but for what makes a difference.  With a `base` other than SEQUENTIAL the first `done`
 * chains are those of that order and the rest follows in sequence, the next chain of that order
 * `moved` places ahead of where it would be.  Otherwise chain `first` runs right before chain
 * `second`. */
typedef struct tg_replay {
    tg_order_kind base; /* SEQUENTIAL, REVERSED, SHUFFLED (by the seed of the order) */
    int64_t first, second;
    int64_t done, moved;
} tg_replay;

typedef struct tg_order {
    tg_order_kind kind;
    uint64_t seed; /* SHUFFLED, INTERLEAVED, REPLAY */
    int threads;   /* PARALLEL; 0: as many as the machine has */
    tg_replay replay;
} tg_order;

/* Reads "sequential", "reversed", "shuffled[:SEED]", "parallel[:THREADS]", "interleaved[:SEED]"
 * (seed 0 where none is given), "replay:A-before-B" with the numbers of two chains, and
 * "replay:reversed@DONE.MOVED" or "replay:shuffled:SEED@DONE.MOVED".  TG_ERR_USAGE with a
 * diagnosis. */
tg_status tg_order_parse(const char *text, tg_order *out, tg_diags *diags);

enum { TG_ORDER_TEXT = 96 }; /* room for the text of any order */

/* The text that tg_order_parse reads as `order`; returns `out`. */
char *tg_order_print(const tg_order *order, char *out, size_t size);

/* Which of `count` chains runs as number `turn`.  A permutation; no memory is used however large
 * the grid.  Not for orders that must be listed. */
int64_t tg_order_pick(const tg_order *order, int64_t turn, int64_t count);

/* Which of `count` threads of a chain runs as number `turn`; replays leave them in sequence. */
int64_t tg_order_pick_thread(const tg_order *order, int64_t turn, int64_t count);

/* REPLAY with a base: all chains in a list of `count` that is the caller's to free; NULL without
 * memory. */
bool tg_order_is_listed(const tg_order *order);
int64_t *tg_order_list(const tg_order *order, int64_t count);

/* TG_ERR_USAGE where the order names chains that a grid of `count` does not have. */
tg_status tg_order_fits(const tg_order *order, int64_t count, tg_diags *diags);

/* The n-th number of the stream that `seed` names. */
uint64_t tg_random(uint64_t seed, uint64_t n);

#endif
