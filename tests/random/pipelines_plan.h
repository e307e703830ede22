/* A pipeline that is being made: what its parts have in common. */
#ifndef TESTS_RANDOM_PIPELINES_PLAN_H
#define TESTS_RANDOM_PIPELINES_PLAN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random/pipelines.h"

enum { MOST_RINGS = 5, MOST_BEHIND = 3, INPUT_BLOCKS = 8, MOST_OUTPUTS = 56, MOST_SUMS_FROM = 30 };

typedef enum fill { FILL_STORE, FILL_COPY, FILL_EXPECTED, FILL_GROUP, FILL_DOT, FILLS } fill;
typedef enum use { USE_LOAD, USE_COPY, USE_DOT } use;

typedef struct ring {
    int slots, memory, full,
        empty; /* empty: PIPE_NONE, no slot is filled twice or the thread is the same */
    int second; /* memory of a second block in each slot, as of a product's right factor; PIPE_NONE: none */
    int ahead, behind;
    int producers[2], producer_count;
    bool is_consumer[PIPE_THREADS];
    use use[PIPE_THREADS];
    int arrivals; /* of each producer for one block */
    fill fill;
    bool has_halves;  /* two copies for a block */
    bool leaves_last; /* slots that are not filled again are not given back */
    bool is_fenced_by_producer, is_fenced_by_consumer;
    bool hands_order; /* of products: nobody waits for them, but products of the consumers follow */
} ring;

/* In each turn the products of some threads follow each other: each adds to the tile of the one before, or makes one of
 * its own of that.  The last one, or who waits for it, tells the first one. */
typedef struct relay {
    int count, members[PIPE_THREADS]; /* ascending; count 0: there is none */
    int tile[PIPE_THREADS];
    bool is_idle[PIPE_THREADS]; /* it only hands on */
    int hand[PIPE_THREADS]; /* barriers: from each to the next, and from the last to the first */
    int done;               /* barrier of the last one; PIPE_NONE: it waits for its group */
    bool is_fresh;          /* the first tile is replaced in each turn */
    bool is_read_late;      /* at the end of a step, not in each turn */
} relay;

/* What a thread does, by section. */
enum { START, PREFETCH, MAIN, DRAIN, RELEASE, FINISH };

typedef struct plan {
    pipe_kernel *k;
    uint64_t state;
    bool has_copies_among, has_relays, has_register_copies, has_homes;
    int ring_count;
    ring rings[MOST_RINGS];
    relay relay;
    int bye[2], bye_count;    /* where blocks meet before they end: one barrier, or one of each */
    int weights, ready, meet; /* memories; PIPE_NONE: none */
    bool are_weights_fenced;  /* by thread 0 */
    struct {
        int sums[MOST_RINGS + 1], sum_count;
        int copies, products, loads; /* groups that it closes in a turn */
        bool multiplies, has_waited_for_weights;
    } thread[PIPE_THREADS];
} plan;

static inline int roll(plan *p, int n) { return (int)pipe_draw(&p->state, (uint32_t)n); }

static inline int add_memory(plan *p, pipe_kind kind, int count, int arrivals)
{
    if (p->k->memory_count == PIPE_MEMORIES) {
        fprintf(stderr, "a pipeline has too many memories\n");
        abort();
    }
    p->k->memories[p->k->memory_count] = (pipe_memory){
        kind, count, arrivals, p->has_homes && kind > PIPE_OUTPUT ? roll(p, 3) - 1 : PIPE_NONE};
    return p->k->memory_count++;
}

static inline int shared_or_plain(plan *p, int count)
{
    const int shared = roll(p, p->has_register_copies ? 2 : 5);
    return add_memory(p, shared ? PIPE_SHARED : PIPE_PLAIN, count, 0);
}

static inline pipe_section *section_of(plan *p, int thread, int section)
{
    return &p->k->thread[thread].sections[section];
}

static inline pipe_op *add_op(plan *p, pipe_section *s, pipe_act act)
{
    if (s->count == PIPE_OPS) {
        fprintf(stderr, "a section of a pipeline has too many ops\n");
        abort();
    }
    pipe_op *op = &s->ops[s->count++];
    *op = (pipe_op){.act = act, .operand = {PIPE_NONE, PIPE_NONE}, .skipped = PIPE_NONE};
    op->to_turn = p->k->turns + PIPE_ROWS;
    op->to_total = pipe_total(p->k) + PIPE_ROWS;
    return op;
}

static inline pipe_place slot_of(int memory, int slots, int offset)
{
    return (pipe_place){.memory = memory, .offset = offset, .modulus = slots};
}

static inline pipe_place only(int memory) { return slot_of(memory, 1, 0); }

static inline pipe_place input_of(plan *p, int ahead)
{
    return (pipe_place){.base = roll(p, 3), .offset = ahead, .modulus = INPUT_BLOCKS - 2};
}

/* New blocks of the output; false: there is no room. */
static inline bool take_outputs(plan *p, int count, pipe_place *out)
{
    const int o = pipe_memory_of(p->k, PIPE_OUTPUT), base = p->k->memories[o].count;
    if (count > 2 && base + count > MOST_OUTPUTS - 2 * PIPE_THREADS) return false;
    p->k->memories[o].count += count;
    *out = (pipe_place){.memory = o, .base = base, .modulus = count};
    return true;
}

static inline pipe_op *at_barrier(plan *p, pipe_section *s, pipe_act act, pipe_place place)
{
    pipe_op *op = add_op(p, s, act);
    op->to = place;
    return op;
}

/* Such an order where nobody needs it. */
static inline bool orders_for_nothing(plan *p) { return p->has_relays && roll(p, 4) == 0; }

static inline bool is_promised(plan *p, pipe_act act)
{
    return act == PIPE_DOT_WAIT && p->has_relays && roll(p, 3) == 0;
}

/* ---- values ---- */

static inline void compute(plan *p, pipe_section *s, int result, int a, int b)
{
    pipe_op *op = add_op(p, s, PIPE_LANE);
    op->number = roll(p, PIPE_LANES);
    op->result = result;
    op->operand[0] = a;
    op->operand[1] = b;
}

/* Something that has nothing to do with other threads. */
static inline void disturb(plan *p, pipe_section *s)
{
    if (s->count + 8 > PIPE_OPS || roll(p, 3)) return;
    if (roll(p, 8) == 0)
        add_op(p, s, PIPE_FENCE);
    else
        compute(p, s, roll(p, 2) * 2, roll(p, 3), roll(p, 4) - 1);
}

static inline void load(plan *p, pipe_section *s, pipe_place from)
{
    pipe_op *op = add_op(p, s, PIPE_LOAD);
    op->from[0] = from;
    op->result = 1;
    compute(p, s, 0, 0, 1);
}

static inline void store(plan *p, pipe_section *s, pipe_place to)
{
    pipe_op *op = add_op(p, s, PIPE_STORE);
    op->to = to;
    op->operand[0] = 0;
}

/* ---- groups of copies and products ---- */

/* The commit of a thread, by its number in a turn. */
static inline int commit(plan *p, pipe_section *s, int thread, pipe_act act)
{
    add_op(p, s, act);
    return act == PIPE_COMMIT ? p->thread[thread].copies++ : p->thread[thread].products++;
}

/* Waits for commit number `which` of the turn `behind` turns ago; how many there are in a turn is added later. */
static inline void wait_behind(plan *p, pipe_section *s, int thread, pipe_act act, int which,
                               int behind)
{
    const int so_far =
        act == PIPE_WAIT_GROUPS ? p->thread[thread].copies : p->thread[thread].products;
    pipe_op *op = add_op(p, s, act);
    op->number = so_far - which - 1;
    op->scale = behind;
    op->reads = act == PIPE_WAIT_GROUPS && roll(p, 3) > 0;
    op->is_promised = is_promised(p, act);
}

static inline void wait_for_all(plan *p, pipe_section *s, pipe_act act)
{
    pipe_op *op = add_op(p, s, act);
    op->reads = act == PIPE_WAIT_GROUPS && roll(p, 2);
    op->is_promised = is_promised(p, act);
}

/* A copy to the output. */
static inline void copy_out(plan *p, pipe_section *s, int thread, pipe_place from, pipe_place to)
{
    pipe_op *op = add_op(p, s, PIPE_COPY);
    op->from[0] = from;
    op->to = to;
    commit(p, s, thread, PIPE_COMMIT);
}

/* Copies with registers are those of memory that is not shared. */
static inline bool goes_by_registers(plan *p, int memory)
{
    return p->has_register_copies && p->k->memories[memory].kind == PIPE_PLAIN &&
           p->k->memory_count < MOST_SUMS_FROM && roll(p, 2);
}

static inline bool needs_fence(const plan *p, int memory)
{
    return p->k->memories[memory].kind == PIPE_SHARED;
}

/* ---- the relay, see pipelines_relay.c ---- */

void pipe_add_relay(plan *p);
void pipe_join_relay(plan *p, int thread);

#endif
