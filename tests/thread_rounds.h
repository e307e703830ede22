/* Programs of a few threads, drawn by lot, that write and read slots in turn: with all barriers, or without one. */
#ifndef TESTS_THREAD_ROUNDS_H
#define TESTS_THREAD_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Rounds in which each thread writes one slot, and then reads one: by an offset from its number, so
 * that no two threads meet in a
 * round.  Barriers stand before the reads and behind them, but for the one behind those of round
 * `left_out`. */
typedef struct thread_rounds {
    int threads, count, left_out;
    int writes[8], reads[8];
} thread_rounds;

static inline uint32_t thread_rounds_roll(uint64_t *state, uint32_t count)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % count;
}

static inline thread_rounds thread_rounds_draw(uint64_t seed)
{
    thread_rounds r = {.threads = 2 + (int)thread_rounds_roll(&seed, 3),
                       .count = 2 + (int)thread_rounds_roll(&seed, 6)};
    for (int i = 0; i < r.count; i++) {
        r.writes[i] = (int)thread_rounds_roll(&seed, (uint32_t)r.threads);
        r.reads[i] = (int)thread_rounds_roll(&seed, (uint32_t)r.threads);
    }
    r.left_out = (int)thread_rounds_roll(&seed, 2)
                     ? (int)thread_rounds_roll(&seed, (uint32_t)r.count - 1)
                     : -1;
    return r;
}

/* Who reads a slot in the round without a barrier behind it is another thread than who writes it
 * next. */
static inline bool thread_rounds_race(const thread_rounds *r)
{
    return r->left_out >= 0 && r->reads[r->left_out] != r->writes[r->left_out + 1];
}

static inline void thread_rounds_put_slot(tg_text *t, int id, int offset)
{
    tg_text_add(
        t,
        "%%%d:i32[] = constant value=%d; %%%d:i32[] = add %%11 %%%d; %%%d:i32[] = rem %%%d %%13\n",
        id, offset, id + 1, id, id + 2, id + 1);
}

static inline char *thread_rounds_kernel(const thread_rounds *r)
{
    tg_text t = {0};
    int id = 20, sum = 11;
    tg_text_add(&t,
                "grid 2p %dt\noutput o i32[2,%d]\nscratch s i32[%d]\nscratch b barrier[] "
                "arrivals=%d\nbody\n"
                "%%10:i32[] = program_id axis=0; %%11:i32[] = program_id axis=1; %%13:i32[] = "
                "constant value=%d\n",
                r->threads, r->threads, r->threads, r->threads, r->threads);
    for (int i = 0; i < r->count; i++, id += 10) {
        thread_rounds_put_slot(&t, id, r->writes[i]);
        thread_rounds_put_slot(&t, id + 3, r->reads[i]);
        tg_text_add(&t, "store %%2 %%%d %%%d [@] loc=1; barrier_arrive %%3; barrier_wait %%3\n",
                    sum, id + 2);
        tg_text_add(&t,
                    "%%%d:i32[] = load %%2 %%%d [@] loc=2; %%%d:i32[] = add %%%d %%%d; %%%d:i32[] "
                    "= add %%%d %%%d\n",
                    id + 6, id + 5, id + 7, id + 6, id + 6, id + 8, id + 7, id + 1);
        if (i != r->left_out) tg_text_put(&t, "barrier_arrive %3; barrier_wait %3\n");
        sum = id + 8;
    }
    tg_text_add(&t, "store %%1 %%%d %%10 %%11 [@,@]\n", sum);
    return tg_text_finish(&t);
}

/* What sums come out where nothing races: as in the kernel, round by round. */
static inline void thread_rounds_evaluate(const thread_rounds *r, int32_t *out)
{
    int32_t sums[4], slots[4] = {0};
    for (int t = 0; t < r->threads; t++) sums[t] = t;
    for (int i = 0; i < r->count; i++) {
        for (int t = 0; t < r->threads; t++) slots[(t + r->writes[i]) % r->threads] = sums[t];
        for (int t = 0; t < r->threads; t++)
            sums[t] = 2 * slots[(t + r->reads[i]) % r->threads] + t + r->writes[i];
    }
    for (int t = 0; t < 2 * r->threads; t++) out[t] = sums[t % r->threads];
}

#endif
