/* Orders: policies that decide which program of the grid runs when.
 *
 * The grid falls into *chains*: the programs with the same coordinates on the `parallel` axes form
 * one chain and run in the order of the `arbitrary` axes, which no policy changes.  Policies choose
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

/* Order `sequential`, except for a small change.  With a `base` other than SEQUENTIAL the first
 * `done` chains are those of the base order; the rest follows in sequence, but the next chain of
 * the base order runs `moved` turns earlier than it otherwise would.  With base SEQUENTIAL chain
 * `first` runs right before chain `second`. */
typedef struct tg_replay {
    tg_order_kind base; /* SEQUENTIAL, REVERSED or SHUFFLED (with the seed of the order) */
    int64_t first, second;
    int64_t done, moved;
} tg_replay;

typedef struct tg_order {
    tg_order_kind kind;
    uint64_t seed; /* of SHUFFLED, INTERLEAVED, REPLAY */
    int threads;   /* of PARALLEL; 0: as many as the machine has */
    tg_replay replay;
} tg_order;

/* Parses "sequential", "reversed", "shuffled[:SEED]", "parallel[:THREADS]", "interleaved[:SEED]"
 * (seed 0 if none is given), "replay:A-before-B" with the numbers of two chains, and
 * "replay:reversed@DONE.MOVED" or "replay:shuffled:SEED@DONE.MOVED".  Returns TG_ERR_USAGE with a
 * diagnosis if the text is none of these. */
tg_status tg_order_parse(const char *text, tg_order *out, tg_diags *diags);

enum { TG_ORDER_TEXT = 96 }; /* enough for the text of any order */

/* Prints the text that tg_order_parse reads as `order`; returns `out`. */
char *tg_order_print(const tg_order *order, char *out, size_t size);

/* Returns which of `count` chains has number `turn`: a permutation that needs no memory however
 * large the grid is.  Not for orders that must be listed. */
int64_t tg_order_pick(const tg_order *order, int64_t turn, int64_t count);

/* Returns which of `count` threads of a chain has number `turn`; replays do not change their
 * sequence. */
int64_t tg_order_pick_thread(const tg_order *order, int64_t turn, int64_t count);

/* A REPLAY with a base must be listed: tg_order_list returns all `count` chains in order.  The
 * caller frees the list; it is NULL if memory runs out. */
bool tg_order_is_listed(const tg_order *order);
int64_t *tg_order_list(const tg_order *order, int64_t count);

/* Returns TG_ERR_USAGE if the order names chains that a grid of `count` chains does not have. */
tg_status tg_order_fits(const tg_order *order, int64_t count, tg_diags *diags);

/* The n-th number of the random stream of `seed`. */
uint64_t tg_random(uint64_t seed, uint64_t n);

#endif
