/* Random kernels of threads that hand blocks to each other: rings of slots with barriers, copies, products in flight;
 * in a range of seeds also sums that the products of several threads make one behind the other, memory of each block of
 * a cluster, what all threads execute together, and waits that are only promised.
 *
 *   pipelines_make.c      kernels that are right by construction
 *   pipelines_plan.h      what their parts have in common
 *   pipelines_relay.c     the sums that threads hand on
 *   pipelines_break.c     the same with a fault, which may turn out to be none
 *   pipelines_run.c       a reference that knows none of the code under test: one run, and what comes before what in it
 *   pipelines_law.c       what must be found in any order, from that
 *   pipelines_text.c      the notation of kernel_text.h
 *   pipelines_outline.c   what people read
 *
 * A block is i32[2,2]; the smallest thing that is read and written is a row of it.  Each thread has registers, which
 * hold blocks.  What it does stands in sections, which are loops over its turns. */
#ifndef TESTS_RANDOM_PIPELINES_H
#define TESTS_RANDOM_PIPELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PIPE_THREADS = 6,
    PIPE_MEMORIES = 62, /* kernel_text.h takes two more */
    PIPE_SECTIONS = 6,
    PIPE_OPS = 96, /* of a section */
    PIPE_REGISTERS = 3,
    PIPE_ROWS = 64, /* blocks of a memory */
    PIPE_MEETINGS = 2,
    PIPE_NONE = -1
};

typedef enum pipe_act {
    PIPE_WAIT,
    PIPE_ARRIVE,
    PIPE_EXPECT,
    PIPE_COPY,
    PIPE_COMMIT,
    PIPE_WAIT_GROUPS,
    PIPE_DOT,
    PIPE_DOT_COMMIT,
    PIPE_DOT_WAIT,
    PIPE_DOT_ARRIVE,
    PIPE_FENCE,
    PIPE_LOAD,
    PIPE_STORE,
    PIPE_LANE,
    PIPE_ACTS
} pipe_act;

extern const char *const pipe_names[PIPE_ACTS]; /* the ops */

typedef enum pipe_part { PIPE_WHOLE, PIPE_UPPER, PIPE_LOWER } pipe_part;

/* In turn i: block base + (i + offset) mod modulus of the memory, or a row of it. */
typedef struct pipe_place {
    int memory, base, offset, modulus;
    pipe_part part;
} pipe_place;

/* What a copy tells that it has taken place.  PIPE_AMONG: it is in the order of the products of its thread.  PIPE_TARGET,
 * PIPE_SOURCE: that side stands for registers, and it has a group of such copies; so has a commit, and a wait. */
typedef enum pipe_told {
    PIPE_GROUP,
    PIPE_BARRIER,
    PIPE_EXPECTED,
    PIPE_AMONG,
    PIPE_TARGET,
    PIPE_SOURCE
} pipe_told;

typedef enum pipe_lane {
    PIPE_ADD,
    PIPE_SUB,
    PIPE_MUL,
    PIPE_MAX,
    PIPE_MIN,
    PIPE_XOR,
    PIPE_LANES
} pipe_lane;

typedef struct pipe_op {
    pipe_act act;
    pipe_place to;      /* a barrier; what a copy, store or product changes */
    pipe_place from[2]; /* a copy, load; the factors of a product */
    pipe_place barrier; /* of a copy */
    pipe_told told;
    int number;                   /* bytes; newest groups; the kind of an element-wise op */
    bool reads;                   /* waits for the reads of copies alone */
    bool replaces, is_transposed; /* of a product: is its right factor */
    bool orders;                  /* an arrival or a wait: the order of products */
    bool is_promised;             /* a wait for products */
    int result,
        operand
            [2]; /* registers; of a product: the left factor, or PIPE_NONE; second operand PIPE_NONE: the turn */
    int scale; /* while a kernel is made: groups of so many turns are left in flight as well */
    int from_turn,
        to_turn;    /* it takes place in turns from <= j < to of its step of the grid, ... */
    int from_total; /* ... and in i >= from_total of all turns, ... */
    int to_total;   /* ... and i < to_total, ... */
    int skipped;    /* ... but not in turn i = skipped; PIPE_NONE: in all */
} pipe_op;

/* The turns j from `first` to `end` of a step. */
typedef struct pipe_section {
    int first, end, count;
    bool is_main; /* all turns: the number of turns may be a value of the kernel */
    pipe_op ops[PIPE_OPS];
} pipe_section;

typedef struct pipe_thread {
    int count;
    bool is_unrolled;
    pipe_section sections[PIPE_SECTIONS];
} pipe_thread;

typedef enum pipe_kind {
    PIPE_INPUT,
    PIPE_OUTPUT,
    PIPE_SHARED,
    PIPE_PLAIN,
    PIPE_BARRIERS
} pipe_kind;

typedef struct pipe_memory {
    pipe_kind kind;
    int count;    /* blocks or barriers */
    int arrivals; /* of each barrier */
    int home;     /* the block that has it; PIPE_NONE: the cluster */
} pipe_memory;

/* What threads execute together, before they do anything else: those that differ along the axes. */
typedef struct pipe_meeting {
    bool is_along_blocks, is_along_threads;
    int times[PIPE_THREADS];
} pipe_meeting;

/* The threads of a program are those of `blocks` blocks of a cluster.  A chain takes `steps` steps along an
 * arbitrary axis, each of `turns` turns. */
typedef struct pipe_kernel {
    int blocks, threads, chains, steps, turns;
    bool has_trip; /* the number of turns is read from memory */
    int memory_count;
    pipe_memory memories[PIPE_MEMORIES];
    pipe_thread thread[PIPE_THREADS]; /* of all blocks */
    int meeting_count;
    pipe_meeting meetings[PIPE_MEETINGS];
    bool has_faults_of_order; /* see pipe_break */
} pipe_kernel;

static inline int pipe_total(const pipe_kernel *k) { return k->steps * k->turns; }
static inline int pipe_number_of_threads(const pipe_kernel *k) { return k->blocks * k->threads; }

/* Whether the op takes place in turn j of step s. */
bool pipe_takes_place(const pipe_kernel *k, const pipe_op *op, int step, int turn);
/* The block that the place is in turn i. */
int pipe_block(const pipe_place *place, int i);
uint32_t pipe_draw(uint64_t *state, uint32_t below);

/* ---- made, and broken ---- */

/* Kernels from this seed on have copies among products, too; those below were there before. */
#define PIPE_COPIES_AMONG (UINT64_C(1) << 32)
/* From this one on, products in the order of several threads, blocks with memory of their own, ops that threads execute
 * together, and promised waits. */
#define PIPE_RELAYS (UINT64_C(2) << 32)
/* From this one on, copies between memory and registers, too. */
#define PIPE_REGISTER_COPIES (UINT64_C(3) << 32)
void pipe_make(pipe_kernel *out, uint64_t seed);

/* Puts fault number `seed` into a kernel; `what` tells which. */
void pipe_break(pipe_kernel *k, uint64_t seed, char *what, size_t size);

/* ---- what must come of it ---- */

typedef enum pipe_fault {
    PIPE_DEADLOCK = 1,
    PIPE_OVERRUN = 2,
    PIPE_MISSED = 4,
    PIPE_UNOBSERVED = 8,
    PIPE_LEFT = 16,        /* arrivals or bytes of a phase that is not complete */
    PIPE_NOT_AWAITED = 32, /* a copy or a product */
    PIPE_RACE = 64,        /* accesses that nothing orders, of threads, copies and products */
    PIPE_UNDEFINED = 128,  /* an output depends on what nobody wrote */
    PIPE_UNWRITTEN = 256,  /* a row of an output */
    PIPE_UNFENCED =
        512, /* what a copy or product reads was written by a thread, and no fence lies between */
    PIPE_DIVERGED = 1024,  /* threads that must do the same do not */
    PIPE_PEER_ENDED = 2048 /* memory of a block is used that may have ended */
} pipe_fault;
enum { PIPE_FAULTS = 12, PIPE_FIRST_FAULTS = 10 }; /* the latter: all but those of PIPE_RELAYS */

extern const char *const pipe_fault_names[PIPE_FAULTS];

typedef int32_t pipe_value[2][2];

/* What is wrong with it in some order or in all: none of pipe_fault or several.  If there are none, `outputs` is what
 * the outputs of the first chain must hold. */
unsigned pipe_judge(const pipe_kernel *k, int chain, pipe_value outputs[PIPE_ROWS]);

/* What only a strict check finds. */
typedef enum pipe_strict {
    PIPE_ONLY_PROMISED = 1, /* accesses rely on a promised wait */
    PIPE_OVERWRITE_UNFENCED =
        2,               /* what an op overwrites was accessed by a thread without a fence behind */
    PIPE_PHASES_LEFT = 4 /* a thread has waited for the first phases and not for the last */
} pipe_strict;
enum { PIPE_STRICTS = 3 };

extern const char *const pipe_strict_names[PIPE_STRICTS]; /* the findings */

/* Of a kernel of which pipe_judge has found nothing: none of pipe_strict or several. */
unsigned pipe_judge_strictly(const pipe_kernel *k, int chain);

/* Block `row` of the input of a chain. */
void pipe_input(int chain, int row, pipe_value out);

static inline int pipe_block_of(const pipe_kernel *k, int thread) { return thread / k->threads; }

/* The memory of that kind, of input and output the only one. */
int pipe_memory_of(const pipe_kernel *k, pipe_kind kind);

/* In the notation of kernel_text.h; the caller frees it. */
char *pipe_text(const pipe_kernel *k);

/* For people; the caller frees it. */
char *pipe_outline(const pipe_kernel *k);

#endif
