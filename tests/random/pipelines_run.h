/* One run of a pipeline, in which copies and products take place at once: its values, and what happens before what. */
#ifndef TESTS_RANDOM_PIPELINES_RUN_H
#define TESTS_RANDOM_PIPELINES_RUN_H

#include "random/pipelines.h"

enum {
    PIPE_EVENTS = 3072,
    PIPE_WORDS = PIPE_EVENTS / 64,
    PIPE_SLOTS = 8,
    PIPE_ROW_COUNT = 2 * PIPE_ROWS
};

typedef struct pipe_access {
    int row, event; /* row: of all memories */
    bool writes;
} pipe_access;

/* What is done at a barrier: an arrival, a wait, an expectation of bytes, or the start of a copy. */
typedef struct pipe_at_barrier {
    pipe_act act;
    int barrier, phase, event;
    bool is_expected; /* of a copy */
    int order; /* of an arrival: what it hands on, an event behind products; PIPE_NONE: nothing */
} pipe_at_barrier;

/* What has groups of its own. */
typedef enum pipe_engine {
    PIPE_COPIES,
    PIPE_PRODUCTS,
    PIPE_LOADS,
    PIPE_STORES,
    PIPE_ENGINES
} pipe_engine;

/* A copy or product. */
typedef struct pipe_async {
    int thread, group, start, read, done; /* events; group: PIPE_NONE if a barrier is told */
    int barrier, phase;                   /* PIPE_NONE: none is told */
    pipe_engine engine;                   /* of a copy among products theirs */
} pipe_async;

/* What an op beside the threads reads that a thread wrote: the write, and the start that must see it; or what it
 * overwrites that a thread has accessed. */
typedef struct pipe_sight {
    int access, start;
    bool overwrites;
} pipe_sight;

/* A thread uses memory of another block. */
typedef struct pipe_peer_use {
    int event, block;
} pipe_peer_use;

typedef struct pipe_barrier {
    int arrivals, phases, arrived, lacks;
} pipe_barrier;

typedef struct pipe_run {
    const pipe_kernel *k;
    int chain, step;
    bool does_without_promises; /* a wait that is promised is none */
    unsigned faults;            /* that ended the run */
    int event_count;
    uint64_t before[PIPE_EVENTS][PIPE_WORDS];
    struct {
        int section, turn, op, last, newest_in_order;
        int taken;                /* the order that was handed to it, an event; PIPE_NONE: none */
        int closed[PIPE_ENGINES]; /* groups */
        pipe_value registers[PIPE_REGISTERS];
        bool is_defined[PIPE_REGISTERS][2];
        int awaited[PIPE_MEMORIES * PIPE_SLOTS];
    } thread[PIPE_THREADS];
    pipe_barrier barriers[PIPE_MEMORIES * PIPE_SLOTS];
    int32_t rows[PIPE_MEMORIES][PIPE_ROW_COUNT][2];
    bool is_defined[PIPE_MEMORIES][PIPE_ROW_COUNT], is_written[PIPE_MEMORIES][PIPE_ROW_COUNT];
    int written_by[PIPE_MEMORIES]
                  [PIPE_ROW_COUNT]; /* the last write of a thread, PIPE_NONE: a copy's */
    int read_by[PIPE_THREADS][PIPE_MEMORIES][PIPE_ROW_COUNT]; /* since a copy has overwritten it */
    pipe_access accesses[8192];
    pipe_at_barrier acts[4096];
    pipe_async asyncs[1024];
    pipe_sight sights[8192];
    pipe_peer_use uses[4096];
    int fences[1024], waits[2048]; /* events */
    int access_count, act_count, async_count, sight_count, use_count, fence_count, wait_count;
} pipe_run;

/* Runs the kernel until it ends, or until a fault ends it.  Where it does without promises, promised waits order
 * nothing, though values are the same. */
void pipe_run_all(pipe_run *run, const pipe_kernel *k, int chain, bool does_without_promises);

bool pipe_is_before(const pipe_run *run, int one, int other);

#endif
