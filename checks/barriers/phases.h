/* What threads have done at the phases of a barrier. */
#ifndef TG_CHECKS_BARRIERS_PHASES_H
#define TG_CHECKS_BARRIERS_PHASES_H

#include "checks/number_map.h"
#include "interp/state/machine.h"

/* A thread arrives, starts a copy, says how many bytes to expect, or has waited. */
typedef struct tg_barrier_act {
    int64_t actor;
    uint32_t time; /* see checks/clocks/clock.h */
    const tg_inst *inst;
    int64_t program[TG_MAX_AXES], program_index;
    bool is_ordered; /* before the completion that it must come before */
} tg_barrier_act;

typedef struct tg_barrier_acts {
    tg_barrier_act *list;
    size_t count, room;
} tg_barrier_acts;

typedef struct tg_phase_acts {
    uint32_t number;
    tg_barrier_acts arrivals, waits;
    tg_barrier_acts
        copies; /* and expectations of bytes: all that the phase needs beside arrivals */
} tg_phase_acts;

/* A thread that uses the barrier. */
typedef struct tg_barrier_thread {
    tg_barrier_act first; /* what it did first */
    bool arrives;
    uint32_t awaited; /* phases that it has waited for */
} tg_barrier_thread;

enum { TG_FIRST_ARRIVALS = 16 };

typedef struct tg_barrier_use {
    const int64_t *barrier;
    int64_t chain; /* successive chains have their barriers in the same memory */
    uint32_t param;
    tg_phase_acts before, now; /* `now` is not complete; `before` is, unless its number is too */
    /* Of the last phases that are complete, the first arrival: phase n at n modulo the number. */
    tg_barrier_act first_arrivals[TG_FIRST_ARRIVALS];
    tg_barrier_thread *threads;
    size_t thread_count, thread_room;
} tg_barrier_use;

typedef struct tg_barrier_uses {
    tg_barrier_use *list;
    size_t count, room;
    tg_number_map numbers; /* by address */
} tg_barrier_uses;

void tg_barrier_uses_free(tg_barrier_uses *uses);

/* Returns what the machine's chain has done at a barrier of parameter `param`; NULL if memory runs
 * out. */
tg_barrier_use *tg_barrier_use_of(tg_barrier_uses *uses, const tg_machine *m, uint32_t param,
                                  const int64_t *barrier);

/* What the thread of `m` does at `time`. */
tg_barrier_act tg_barrier_act_of(const tg_machine *m, const tg_inst *inst, uint32_t time);

/* Returns false if memory runs out. */
bool tg_barrier_acts_add(tg_barrier_acts *acts, const tg_barrier_act *act);

/* Returns the thread that acts; NULL if memory runs out. */
tg_barrier_thread *tg_barrier_thread_of(tg_barrier_use *use, const tg_barrier_act *act);

/* Returns the first act of all threads, of 1 or more. */
const tg_barrier_act *tg_barrier_first_use(const tg_barrier_use *use);

/* `now` is complete, and the next phase begins. */
void tg_barrier_next_phase(tg_barrier_use *use);

/* Returns whether `a` comes before `b` by program and instruction, whatever the order of the run. */
bool tg_barrier_act_is_before(const tg_barrier_act *a, const tg_barrier_act *b);

/* Returns the first arrival of a complete phase; NULL if that is too long ago. */
const tg_barrier_act *tg_barrier_first_arrival(const tg_barrier_use *use, uint32_t phase);

/* Returns the first of them by that, of 1 or more. */
const tg_barrier_act *tg_barrier_acts_first(const tg_barrier_acts *acts);

#endif
