/* A machine: one program of the grid in flight, which can stop before every visible event.  It has
 * a program counter, slots, references and scratch; the launch has what all machines share. */
#ifndef TG_INTERP_STATE_MACHINE_H
#define TG_INTERP_STATE_MACHINE_H

#include "interp/state/chain.h"
#include "interp/state/launch.h"
#include "interp/state/ref.h"
#include "interp/state/wait.h"

/* State of loops of a machine's program that may spin (interp/spin/spin.h). */
typedef struct tg_spin tg_spin;

/* A guess of a parameter's next block; see cache_prefetch.h. */
typedef struct tg_prefetch {
    int64_t origin,
        step; /* of this program's block, and its distance to the one before, in elements */
    const unsigned char *block; /* the next one */
    size_t fetched, bytes;      /* of the next block; equal: nothing is left to fetch */
} tg_prefetch;

/* READY: the program is before a visible event.  BLOCKED: it cannot go on, which has been reported.
 * WAITING: until m->wait is over.  GIVING_WAY: it has read memory that others may write for very
 * many turns of a loop; it may be waiting, but that is not proven, so others should run as well. */
typedef enum tg_step {
    TG_STEP_GOING, /* only within a run: the program goes on */
    TG_STEP_READY,
    TG_STEP_DONE,
    TG_STEP_STOPPED,
    TG_STEP_BLOCKED,
    TG_STEP_WAITING,
    TG_STEP_GIVING_WAY
} tg_step;

typedef struct tg_machine {
    tg_launch *launch;
    int64_t program[TG_MAX_AXES];
    int64_t program_index; /* place of the program in the grid, row-major */
    tg_chain *chain;       /* to which the program belongs */
    int64_t actor;         /* see interp/state/actors.h */
    const tg_code *code;   /* code in execution: the body, or an index map */
    const tg_bound_code *bound;
    uint32_t pc, next; /* numbers of this instruction and of the next one */
    tg_step step;      /* GOING: execution goes on at `next` */
    bool stops;        /* stops before visible events */
    bool is_in_map;    /* runs the index map of a parameter, before the program begins */
    bool is_caller;    /* runs in the thread that called for the run */
    uint32_t turns;    /* loop turns since it last asked whether to stop */
    uint32_t patience; /* loop turns between two such questions */
    double asked;      /* time of the last one, in seconds */
    int64_t all_turns; /* loop turns since the program began, if they are limited */
    uint32_t looks;    /* loop turns that read what others may write, since it last gave way */
    tg_spin *spin;     /* NULL: no loop has made many turns yet */
    const tg_inst *stopped_in; /* end of the loop in which the run was stopped; else NULL */
    unsigned char *traced;     /* where the log takes the instruction's result; NULL: nowhere */
    uint32_t traced_inst;      /* number of that instruction in the body */
    size_t group_elements;     /* elements of the current group that are done */
    unsigned char *memory;     /* one allocation for all that is below */
    unsigned char *workspace, *strips, *extra;
    void **slot;              /* per slot: its current address */
    uint8_t *storage;         /* per slot: TG_STORAGE_DENSE or _MEMORY */
    uint32_t *awaited_phases; /* per barrier: phases that its thread has waited for */
    /* Per barrier, of the machine that owns the chain: bytes that its current phase lacks. */
    int64_t *missing_bytes;
    /* Of products, see interp/sync/async_order.h: of the next one of the thread, of the newest one;
     * and, of the machine that owns the chain, what barriers hand on. */
    int64_t *order, *order_of_newest, *handed_on;
    bool *is_kept; /* per slot: computed only once, and already there */
    tg_ref *refs;
    tg_prefetch *prefetch;    /* per parameter */
    bool prefetch_left;       /* there may be something to fetch */
    int64_t *stride;          /* space for a geometry made at run time */
    unsigned char **pointer;  /* per operand of a group */
    uint8_t *operand_storage; /* per operand of a group */
    uint8_t *way;        /* per operand of a group: how element-wise ops access it, see group.c */
    uint64_t *undefined; /* one element per slot of that kind, see tg_machine_new */
    tg_chain own_chain;  /* a chain whose scratch is in the memory of this machine */
    void **owns;         /* per detector of the launch: what it keeps for this machine */
    void *own;           /* the same, of the detector that is called */
    uint32_t own_number; /* number of that detector in the launch */
    bool is_looked_at;   /* detectors or the log want to see each instruction */
    bool keeps_order;    /* they want to see elements of groups, too, in row-major order */
    uint32_t closed_groups[TG_ENGINE_COUNT]; /* by its thread: interp/sync/async_groups.c */
    /* by its thread: the actor of the op that it started last; 0: none */
    int64_t newest_started[TG_ENGINE_COUNT];
    struct tg_panels *panels;   /* interp/exec/panels.h; NULL: none have been packed */
    struct tg_windows *windows; /* interp/memory/windows.h; NULL: there are none */
    const tg_wait *wait;        /* what the program waits for; NULL: it does not wait */
    struct tg_awaited {
        const tg_inst *inst;
        const int64_t *semaphore;
        int64_t wanted;
    } awaited; /* by a wait for a semaphore or barrier */
} tg_machine;

/* The chain that has the memory of scratch: the first one, if all share it; else the machine's. */
static inline tg_chain *tg_machine_owner(const tg_machine *m, uint32_t param)
{
    return m->launch->plan->kernel->params[param].is_shared && m->launch->chains
               ? m->launch->chains[0]
               : m->chain;
}

/* The machine of the thread whose number is that of the thread of `m` plus `n`; NULL: there is none. */
static inline tg_machine *tg_machine_behind(const tg_machine *m, int64_t n)
{
    if (!m->chain->threads) return NULL;
    const int64_t threads = m->launch->threads, thread = m->actor % threads;
    return n < threads - thread ? m->chain->threads[thread + n] : NULL;
}

/* The memory of a parameter; for scratch, that of its chain. */
static inline unsigned char *tg_machine_memory(const tg_machine *m, uint32_t param)
{
    return m->launch->plan->kernel->params[param].role == TG_ROLE_SCRATCH
               ? tg_machine_owner(m, param)->scratch + m->launch->scratch_offset[param]
               : m->launch->buffers[param].data;
}

#endif
