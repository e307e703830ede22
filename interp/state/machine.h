/* A machine: one program of the grid in flight, stoppable before every visible event.  It has a
 * program counter, slots, references and scratch; the launch has what it shares with other
 * machines. */
#ifndef TG_INTERP_STATE_MACHINE_H
#define TG_INTERP_STATE_MACHINE_H

#include "interp/state/chain.h"
#include "interp/state/launch.h"
#include "interp/state/ref.h"
#include "interp/state/wait.h"

/* Loops of a machine's program that may spin (interp/spin/spin.h). */
typedef struct tg_spin tg_spin;

/* What is guessed of a parameter's next block; see cache_prefetch.h. */
typedef struct tg_prefetch {
    int64_t origin, step;       /* of this program's block, and how far it has moved, in elements */
    const unsigned char *block; /* the next one */
    size_t fetched, bytes;      /* of it; equal: nothing is left to be fetched */
} tg_prefetch;

/* READY: the program stands before a visible event.  BLOCKED: it cannot go on, which has been
 * reported.  WAITING: until m->wait is over.  GIVING_WAY: it has looked at memory that others may
 * write for very many turns, and may be waiting, but that is not known: others should go on as
 * well. */
typedef enum tg_step {
    TG_STEP_GOING, /* within a run only: it goes on */
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
    tg_chain *chain;       /* that it belongs to */
    int64_t actor;         /* see interp/state/actors.h */
    const tg_code *code;   /* that is executed: the body, or an index map */
    const tg_bound_code *bound;
    uint32_t pc, next; /* numbers of the instruction, and of the one that comes after it */
    tg_step step;      /* GOING: it goes on there */
    bool stops;        /* before visible events */
    bool is_in_map;    /* of a parameter, before the program begins */
    bool is_caller;    /* runs in the thread that called for the run */
    uint32_t turns;    /* of loops, since the last question whether to stop, */
    uint32_t patience; /* so many of which are made before the next one; */
    double asked;      /* when that was, in seconds */
    int64_t all_turns; /* of loops, since the program began, where that counts */
    uint32_t looks;    /* turns of loops that read what others may write, since it gave way last */
    tg_spin *spin;     /* NULL: no loop has made many turns yet */
    const tg_inst *stopped_in; /* end of the loop in which the run was stopped; else NULL */
    unsigned char *traced;     /* where what the instruction leaves is to go, or NULL */
    uint32_t traced_inst;      /* its number in the body */
    size_t group_elements;     /* of the group at hand: how many are done */
    unsigned char *memory;     /* everything below, in one piece */
    unsigned char *workspace, *strips, *extra;
    void **slot;              /* per slot: where it is now */
    uint8_t *storage;         /* per slot: TG_STORAGE_DENSE or _MEMORY */
    uint32_t *awaited_phases; /* per barrier: how many its thread has waited for */
    bool *is_kept;            /* per slot: computed once, and that has been done */
    tg_ref *refs;
    tg_prefetch *prefetch;      /* per param */
    bool prefetch_left;         /* there may be something to fetch */
    int64_t *stride;            /* room for a geometry made on the fly */
    unsigned char **pointer;    /* per operand of a group */
    uint8_t *operand_storage;   /* likewise */
    uint8_t *way;               /* likewise: how element-wise ops get at it, see group.c */
    uint64_t *undefined;        /* one element per slot of that kind, see tg_machine_new */
    tg_chain own_chain;         /* of the machine whose memory has its scratch */
    void **owns;                /* per detector of the launch: what it keeps for this machine */
    void *own;                  /* of the detector that is called, */
    uint32_t own_number;        /* which is that one of the launch */
    bool is_looked_at;          /* by somebody, before or after each instruction */
    struct tg_panels *panels;   /* interp/exec/panels.h; NULL: none have been packed */
    struct tg_windows *windows; /* interp/memory/windows.h; NULL: there are none */
    const tg_wait *wait;        /* what the program waits for; NULL: it does not */
    struct tg_awaited {
        const tg_inst *inst;
        const int64_t *semaphore;
        int64_t wanted;
    } awaited; /* of a wait for a semaphore or barrier */
} tg_machine;

/* Memory of a param; of scratch, that of the chain. */
static inline unsigned char *tg_machine_memory(const tg_machine *m, uint32_t param)
{
    return m->launch->plan->kernel->params[param].role == TG_ROLE_SCRATCH
               ? m->chain->scratch + m->launch->scratch_offset[param]
               : m->launch->buffers[param].data;
}

#endif
