/* What each thread may rely on of what others have done: the happens-before order of a run.
 *
 * A thread hands on what it knows when it arrives at a phase of a barrier, signals a semaphore, starts
 * a copy, or performs an atomic; it takes on what others have handed on when it has waited for the
 * phase, the semaphore or the copy, or reads what the atomic returns.  Other orders of a run hand on
 * the same, except through atomics and semaphores, where the run decides who comes first.
 *
 * A thread also knows what lies before a *proxy fence*: what some thread has done before a fence that
 * the thread knows of.  Accesses of the asynchronous proxy see only that of what threads have written.
 *
 * The detectors of checks/clocks/clocks.h hand every event on. */
#ifndef TG_CHECKS_CLOCKS_THREAD_CLOCKS_H
#define TG_CHECKS_CLOCKS_THREAD_CLOCKS_H

#include <pthread.h>

#include "checks/clocks/clock.h"
#include "checks/number_map.h"
#include "interp/state/detector.h"
#include "plan/plan.h"

typedef struct tg_known {
    tg_clock done, fenced;
} tg_known;

/* Of a barrier, what has been handed on in its last phases.  Who waits for an earlier one is that late by
 * mistake, and takes on what was handed on since. */
enum { TG_RECENT_PHASES = 64 };
typedef struct tg_barrier_clocks {
    int64_t chain; /* successive chains have their barriers in the same memory */
    struct tg_phase_clocks {
        uint32_t phase;
        tg_known known;
    } recent[TG_RECENT_PHASES]; /* phase n at n modulo TG_RECENT_PHASES */
} tg_barrier_clocks;

typedef struct tg_thread_clocks {
    const tg_plan *plan;
    bool *acquires;   /* per instruction of the body: an atomic or a wait that takes on */
    bool has_atomics; /* some atomic acquires */
    tg_known *threads;
    size_t thread_count, thread_room;
    tg_number_map thread_numbers; /* by actor */
    tg_known *places;             /* elements of semaphores and of what atomics access */
    size_t place_count, place_room;
    tg_number_map place_numbers;
    tg_barrier_clocks *barriers;
    size_t barrier_count, barrier_room;
    tg_number_map barrier_numbers; /* by address */
    struct tg_copy_clocks {
        int64_t copy;  /* its actor */
        uint32_t time; /* among the products of its thread */
        tg_known known;
    } * copies;                                /* in flight; products, and arrivals behind them */
    size_t copy_count, copies_made, copy_room; /* copies_made: with the memory of those before */
    bool is_incomplete;                        /* something was lost because memory ran out */
    pthread_mutex_t lock;                      /* see tg_thread_clocks_enter */
} tg_thread_clocks;

/* Zero-initialise before.  Returns false if memory runs out; free it in either case. */
bool tg_thread_clocks_init(tg_thread_clocks *clocks, const tg_plan *plan);
void tg_thread_clocks_free(tg_thread_clocks *clocks);

/* Begins a run: nobody knows anything. */
void tg_thread_clocks_begin(tg_thread_clocks *clocks);

/* Chains may run on several threads of the machine: what looks at clocks is between these.  What a detector
 * that asks them keeps itself may be as well. */
void tg_thread_clocks_enter(tg_thread_clocks *clocks);
void tg_thread_clocks_leave(tg_thread_clocks *clocks);

/* ---- questions ---- */

/* Returns the time of what the actor does now. */
uint32_t tg_thread_time(tg_thread_clocks *clocks, int64_t actor);

/* Returns whether `actor` may rely on what `other` did at `time`; the other one: whether a fence lies
 * between, too. */
bool tg_thread_knows(tg_thread_clocks *clocks, int64_t actor, int64_t other, uint32_t time);
bool tg_thread_knows_fenced(tg_thread_clocks *clocks, int64_t actor, int64_t other, uint32_t time);

/* Products of a thread, and arrivals behind them, are as those of another actor, of which the thread does not
 * know when they take place: gives it, and the time of such an op in flight. */
void tg_async_place_in_order(const tg_thread_clocks *clocks, const struct tg_async_op *op,
                             int64_t *actor, uint32_t *time);
/* Returns whether such an op may rely on what `other` did at `time`. */
bool tg_async_knows(const tg_thread_clocks *clocks, const struct tg_async_op *op, int64_t other,
                    uint32_t time);

/* ---- events, see interp/state/detector.h ---- */

void tg_clocks_at_barrier(tg_thread_clocks *clocks, const struct tg_machine *m,
                          const tg_barrier_event *event);
void tg_clocks_atomic(tg_thread_clocks *clocks, const tg_access_event *event);
void tg_clocks_joined(tg_thread_clocks *clocks, const struct tg_machine *m);
void tg_clocks_async_starts(tg_thread_clocks *clocks, const struct tg_machine *m,
                            const struct tg_async_op *op);
void tg_clocks_async_ends(tg_thread_clocks *clocks, const struct tg_machine *m,
                          const struct tg_async_op *op);
void tg_clocks_fence(tg_thread_clocks *clocks, const struct tg_machine *m);

#endif
