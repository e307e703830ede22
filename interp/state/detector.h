/* Detectors: code that looks at runs and reports what is wrong with the kernel.  The interpreter
 * knows only this interface.
 *
 * A detector is a row of report/checks.def and a tg_detector, which lives as long as the process.
 * It keeps its data in a *state* for each launch and, if it wants, in one more for each machine of
 * that launch.  Functions that are NULL are not called. */
#ifndef TG_INTERP_STATE_DETECTOR_H
#define TG_INTERP_STATE_DETECTOR_H

#include "interp/state/observer.h"
#include "plan/grid.h"
#include "report/finding.h"

struct tg_launch;
struct tg_machine;
struct tg_async_op;
struct tg_chain;
struct tg_covered;
struct tg_cost_site;

/* The beginning of a run. */
typedef struct tg_run_begin {
    const struct tg_launch *launch;
    const tg_grid *grid;
    bool is_shared; /* programs run on several threads */
} tg_run_begin;

/* The end of a run. */
typedef struct tg_run_end {
    const struct tg_launch *launch;
    const tg_grid *grid;
    tg_findings *findings;
    bool is_whole;              /* all programs ran to their ends; else the run was stopped */
    struct tg_covered *covered; /* the result of TG_CHECK_COVERAGE; the caller frees it */
    size_t covered_count;
    struct tg_cost_site *costs; /* the result of TG_CHECK_MEMORY_COST, likewise */
    size_t cost_count;
} tg_run_end;

enum { TG_MOST_STRIP = 8192 };

/* An element-wise op of a group, on a strip of at most TG_MOST_STRIP elements. */
typedef struct tg_strip_op {
    const tg_group *group;
    const tg_group_op *op;
    const void *const *src; /* carriers */
    unsigned splat;         /* bit i: operand i is a single element */
    const void *dst;        /* the result, after the op */
    size_t first, count;    /* elements of the group */
} tg_strip_op;

/* What happens at a phase of a barrier (interp/sync/barrier.h): a thread is about to arrive, or to say
 * how many bytes the phase expects; nothing is missing any more; a thread has waited for it, or has
 * followed one that has. */
typedef enum tg_barrier_step {
    TG_BARRIER_ARRIVAL,
    TG_BARRIER_EXPECTED,
    TG_BARRIER_COMPLETED,
    TG_BARRIER_AWAITED,
    TG_BARRIER_FOLLOWED
} tg_barrier_step;

typedef struct tg_barrier_event {
    tg_barrier_step step;
    const tg_inst *inst;
    uint32_t param; /* of the barrier */
    const int64_t *barrier;
    uint32_t phase;               /* from 0 on */
    const struct tg_async_op *op; /* that arrives; NULL: its thread itself */
} tg_barrier_event;

/* An op has raised a semaphore, or a wait for it is over. */
typedef struct tg_semaphore_event {
    bool is_raised;
    const tg_inst *inst;
    uint32_t param; /* of the semaphore; UINT32_MAX: scoped memory */
    const int64_t *semaphore;
    const struct tg_chain *owner; /* the chain that has it */
    int64_t amount;
} tg_semaphore_event;

typedef struct tg_detector {
    unsigned checks; /* tg_check_bit bits; each of these checks needs it; 0: every run does */
    /* tg_access_kind bits that it wants: other accesses cost nothing */
    unsigned accesses;

    /* Returns whether there is anything to look for; NULL: always. */
    bool (*wants)(const struct tg_launch *launch);
    /* Makes the state for launches of launch->plan; `*state` may stay NULL if there is nothing to
     * look for after all.  Returns false if memory runs out. */
    bool (*make)(const struct tg_launch *launch, void **state);
    void (*free)(void *state);

    /* The beginning and the end of a run.  Both return false if memory ran out. */
    bool (*begin)(void *state, const tg_run_begin *run);
    bool (*report)(void *state, tg_run_end *run);

    /* Makes what the detector keeps for a machine; without `attach` that is the state.  Returns
     * false if memory runs out; `*own` must be detached in either case, unless it is NULL. */
    bool (*attach)(void *state, struct tg_machine *m, void **own);
    void (*detach)(void *own);

    /* What programs do, on any thread.  In functions that get a machine, `own` is m->own. */
    void (*accessed)(void *own, const tg_access_event *event);
    void (*chain_begins)(struct tg_machine *m); /* with fresh scratch */
    void (*chain_ends)(struct tg_machine *m);
    /* All threads of the chain have ended a step and begin the next; `m` runs the first. */
    void (*threads_joined)(struct tg_machine *m);
    void (*program_begins)(struct tg_machine *m); /* before its index maps */
    void (*mapped)(struct tg_machine *m,
                   uint32_t param);             /* the index map has computed its indices */
    void (*blocks_found)(struct tg_machine *m); /* of all parameters */
    void (*before)(struct tg_machine *m, const tg_inst *inst);
    void (*after)(struct tg_machine *m,
                  const tg_inst *inst); /* not if the program waits or ends there */
    void (*before_op)(struct tg_machine *m, const tg_strip_op *op);
    void (*after_op)(struct tg_machine *m, const tg_strip_op *op);
    /* An op beside the program (interp/sync/async_op.h): before it joins those in flight; when it has
     * read its sources, before it changes anything; and when the program of `m` has made sure of it, or has no memory left
     * to do so in. */
    void (*async_starts)(struct tg_machine *m, const struct tg_async_op *op);
    void (*async_happens)(struct tg_machine *m, const struct tg_async_op *op);
    /* A copy that has read its source before is about to write. */
    void (*async_writes)(struct tg_machine *m, const struct tg_async_op *op);
    void (*async_ends)(struct tg_machine *m, const struct tg_async_op *op);
    /* An op is about to take place, after the one whose actor it follows, and after those that it comes
     * behind. */
    void (*async_follows)(struct tg_machine *m, const struct tg_async_op *op);
    /* The thread of `m` has made sure that its op has read the source; or, that one of another thread has taken
     * place, for which that may still wait. */
    void (*async_has_read)(struct tg_machine *m, const struct tg_async_op *op);
    /* The thread of `m` has waited for its op, but only as it is promised: the op stays among those in
     * flight.  Only where TG_CHECK_GPU_STRICT is asked for. */
    void (*async_promised)(struct tg_machine *m, const struct tg_async_op *op);
    /* Before an instruction that accesses memory, while ops are in flight. */
    void (*access_beside_async)(struct tg_machine *m, const tg_inst *inst);
    void (*at_barrier)(struct tg_machine *m, const tg_barrier_event *event);
    void (*at_semaphore)(struct tg_machine *m, const tg_semaphore_event *event);
    void (*proxies_fenced)(struct tg_machine *m);                  /* by its thread */
    void (*collective)(struct tg_machine *m, const tg_inst *inst); /* is executed */
    void (*waits)(struct tg_machine *m); /* its program, for m->wait, from now on */
    /* Another actor has written memory that the program of `m` waits for.  Not in order `parallel`,
     * where programs ask again and again. */
    void (*awaited_written)(struct tg_machine *m, const tg_access_event *event);
} tg_detector;

/* A detector that is not one of report/checks.def, with its state, which the caller owns. */
typedef struct tg_added_detector {
    const tg_detector *kind; /* `make` and `free` are not called */
    void *state;
} tg_added_detector;

/* The functions above that programs call. */
#define TG_HOOKS(X)                                                                                \
    X(accessed)                                                                                    \
    X(chain_begins)                                                                                \
    X(chain_ends)                                                                                  \
    X(threads_joined)                                                                              \
    X(program_begins)                                                                              \
    X(mapped)                                                                                      \
    X(blocks_found)                                                                                \
    X(before)                                                                                      \
    X(after)                                                                                       \
    X(before_op)                                                                                   \
    X(after_op)                                                                                    \
    X(async_starts)                                                                                \
    X(async_happens)                                                                               \
    X(async_writes)                                                                                \
    X(async_follows)                                                                               \
    X(async_ends)                                                                                  \
    X(async_has_read)                                                                              \
    X(async_promised)                                                                              \
    X(access_beside_async)                                                                         \
    X(at_barrier)                                                                                  \
    X(at_semaphore)                                                                                \
    X(proxies_fenced)                                                                              \
    X(collective)                                                                                  \
    X(waits)                                                                                       \
    X(awaited_written)

enum {
#define X(hook) TG_HOOK_##hook,
    TG_HOOKS(X)
#undef X
        TG_HOOK_COUNT
};

enum { TG_MOST_DETECTORS = 24 };

/* The detectors of a launch and, for each function, the detectors that have it, so that no others
 * are looked at. */
typedef struct tg_attached {
    uint32_t count;
    const tg_detector *kind[TG_MOST_DETECTORS];
    void *state[TG_MOST_DETECTORS];
    struct tg_hooked {
        uint32_t count;
        uint8_t list[TG_MOST_DETECTORS];
    } hooked[TG_HOOK_COUNT];
} tg_attached;

/* Returns whether the launch's checks ask for the detector and it has anything to look for. */
bool tg_detector_is_wanted(const tg_detector *kind, const struct tg_launch *launch);

/* Adds a detector.  There may be at most TG_MOST_DETECTORS. */
void tg_detector_add(tg_attached *detectors, const tg_detector *kind, void *state);

/* Calls `hook` of each detector that has it: TG_DETECT(m, before, m, inst). */
#define TG_DETECT(m, hook, ...)                                                                    \
    for (uint32_t h_ = 0; h_ < (m)->launch->detectors.hooked[TG_HOOK_##hook].count; h_++) {        \
        const uint32_t d_ = (m)->launch->detectors.hooked[TG_HOOK_##hook].list[h_];                \
        (m)->own = (m)->owns[d_];                                                                  \
        (m)->own_number = d_;                                                                      \
        (m)->launch->detectors.kind[d_]->hook(__VA_ARGS__);                                        \
    }

#endif
