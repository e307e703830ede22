/* What all machines of a run share: the plan, the functions of the chosen instruction set, memory,
 * the grid. */
#ifndef TG_INTERP_STATE_LAUNCH_H
#define TG_INTERP_STATE_LAUNCH_H

#include <pthread.h>

#include "interp/state/detector.h"
#include "interp/elementwise/elementwise.h"
#include "interp/state/observer.h"
#include "plan/plan.h"
#include "plan/trace.h"
#include "report/finding.h"
#include "ir/setting.h"

struct tg_machine;
struct tg_order;

/* Memory of one parameter, shared by all programs; aliased parameters have equal `data`. */
typedef struct tg_buffer {
    unsigned char *data;
    int64_t count; /* elements */
    int64_t stride[TG_MAX_RANK];
    bool is_observed; /* observers hear what programs do to it */
} tg_buffer;

/* The loops of a group once dimensions that act as one are merged; the last is the innermost. */
typedef struct tg_geometry {
    int rank;
    int64_t shape[TG_MAX_RANK];
    int64_t *stride; /* [operand][TG_MAX_RANK], inputs first, then outputs */
} tg_geometry;

/* A group with what depends on the ISA and on where its operands are. */
typedef struct tg_bound_group {
    const tg_group *group;
    tg_elementwise_call *ops;               /* per op */
    tg_geometry geometry[TG_STORAGE_COUNT]; /* all dense; all that can be in memory in memory */
} tg_bound_group;

typedef struct tg_bound_code {
    tg_bound_group *groups; /* per instruction; unused where it is no group */
} tg_bound_code;

/* What an op may not make (checks/traps.c). */
typedef enum tg_trap { TG_TRAP_NAN = 1, TG_TRAP_INF = 2 } tg_trap;

typedef struct tg_prefetch_block {
    size_t bytes;    /* of a block that is worth fetching ahead (cache_prefetch.h); 0: it is not */
    int64_t element; /* bytes of one */
} tg_prefetch_block;

typedef struct tg_launch {
    const tg_plan *plan;
    const tg_elementwise *elementwise;
    tg_setting setting;
    uint64_t
        undefined_seed; /* not 0: what is undefined holds any bits, which this seed names (tests only) */
    int axis_count;
    int64_t grid[TG_MAX_AXES];
    int64_t threads;    /* of each chain */
    int64_t actors;     /* that programs are, see interp/state/actors.h */
    int64_t copies;     /* that have started in this run */
    tg_buffer *buffers; /* per param; scratch has none here */
    tg_findings *findings;
    unsigned checks; /* tg_check_bit bits */
    tg_attached detectors;
    const tg_observer *observer; /* of the caller; NULL: none */
    unsigned watched;            /* tg_access_kind bits that somebody wants */
    pthread_mutex_t atomics;     /* held for the length of one atomic op, or of one call of print */
    void (*print)(void *context, const char *text);
    void *print_context;
    /* Asked now and then by a machine within a loop whether to stop; NULL: nobody ever wants to. */
    bool (*wants_stop)(void *context, bool is_caller);
    void *stop_context;
    /* Told of every write while programs wait; NULL: none does. */
    void (*written)(void *context, const tg_access_event *event);
    void *written_context;
    int64_t most_turns;           /* of loops, of each program; 0: as many as it likes */
    const struct tg_order *order; /* says when copies take place; NULL: as in order `sequential` */
    tg_trace *trace;  /* what ops leave goes here; NULL: nowhere.  One machine at a time */
    bool has_windows; /* see interp/memory/windows.h */
    unsigned traps;   /* tg_trap bits */
    const bool *partly_written; /* see tg_run_settings */
    struct tg_chain **chains;   /* where all chains are in flight: each one; else NULL */
    int64_t chain_count;
    /* what binding adds; lives in `arena` */
    tg_arena arena;
    tg_bound_code body, *maps; /* maps: per param */
    size_t workspace_bytes, scratch_bytes, strip_bytes, extra_bytes;
    size_t *scratch_offset;               /* per param */
    size_t *first_barrier, barrier_count; /* per param that has barriers: the number of its first */
    tg_prefetch_block *prefetch;          /* per param */
    uint32_t most_operands;
} tg_launch;

#endif
