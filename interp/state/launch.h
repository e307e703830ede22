/* A launch: what all machines of a run share, such as the plan, the functions of the chosen
 * instruction set, memory and the grid. */
#ifndef TG_INTERP_STATE_LAUNCH_H
#define TG_INTERP_STATE_LAUNCH_H

#include <pthread.h>

#include "interp/state/detector.h"
#include "interp/elementwise/elementwise.h"
#include "interp/state/observer.h"
#include "inline_ptx/entry.h"
#include "plan/plan.h"
#include "plan/trace.h"
#include "report/finding.h"
#include "ir/setting.h"

struct tg_machine;
struct tg_order;

/* The memory of one parameter, which all programs share; aliased parameters have the same
 * `data`. */
typedef struct tg_buffer {
    unsigned char *data;
    int64_t count; /* elements */
    int64_t stride[TG_MAX_RANK];
    bool is_observed; /* observers are notified of accesses to it */
} tg_buffer;

/* The loops of a group, after dimensions that can be one loop are merged; the last one is the
 * innermost. */
typedef struct tg_geometry {
    int rank;
    int64_t shape[TG_MAX_RANK];
    int64_t *stride; /* [operand][TG_MAX_RANK]; inputs first, then outputs */
} tg_geometry;

/* A group, with the data that depends on the instruction set and on the storage of its operands. */
typedef struct tg_bound_group {
    const tg_group *group;
    tg_elementwise_call *ops; /* per op */
    tg_geometry geometry
        [TG_STORAGE_COUNT]; /* with all operands dense; with all that may be in memory there */
} tg_bound_group;

/* PTX text of an instruction, ready to run. */
typedef struct tg_bound_ptx {
    const tg_inst *inst;
    tg_inline_ptx_entry entry;
    struct tg_bound_ptx *next;
} tg_bound_ptx;

typedef struct tg_bound_code {
    tg_bound_group *groups; /* per instruction; unused if it is not a group */
} tg_bound_code;

/* Which bytes of the memory of an input are undefined (tg_undefined_bytes); both NULL: nothing is known. */
typedef struct tg_definedness {
    const unsigned char *before;
    unsigned char *after;
} tg_definedness;

/* Results of ops that are to be reported (checks/traps.c). */
typedef enum tg_trap { TG_TRAP_NAN = 1, TG_TRAP_INF = 2 } tg_trap;

typedef struct tg_prefetch_block {
    size_t bytes;    /* of a block that is worth prefetching (cache_prefetch.h); 0: none is */
    int64_t element; /* bytes of one element */
} tg_prefetch_block;

typedef struct tg_launch {
    const tg_plan *plan;
    const tg_elementwise *elementwise;
    tg_setting setting;
    /* Not 0: undefined elements hold random bits, of which this is the seed (tests only). */
    uint64_t undefined_seed;
    int axis_count;
    int64_t grid[TG_MAX_AXES];
    int64_t threads;    /* of each chain */
    int64_t actors;     /* number of actors that are programs, see interp/state/actors.h */
    int64_t async_ops;  /* that have started in this run */
    tg_buffer *buffers; /* per parameter; those of scratch have no data */
    tg_findings *findings;
    unsigned checks; /* tg_check_bit bits */
    tg_attached detectors;
    const tg_observer *observer;    /* of the caller; NULL: none */
    const tg_added_detector *added; /* likewise */
    unsigned watched;               /* tg_access_kind bits that any observer or detector wants */
    pthread_mutex_t atomics;        /* held during one atomic op, or one call of print */
    void (*print)(void *context, const char *text);
    void *print_context;
    /* A machine in a loop asks now and then whether to stop; NULL: never. */
    bool (*wants_stop)(void *context, bool is_caller);
    void *stop_context;
    /* Called for every write while programs wait; NULL: no program waits. */
    void (*written)(void *context, const tg_access_event *event);
    void *written_context;
    /* Takes a chain that has not begun from those that will, beside the first `resident` of the order;
     * returns its number, at most the greatest i32, or -1 if there is none.  NULL: there never is. */
    int64_t (*cancel)(void *context, int64_t resident);
    void *cancel_context;
    int64_t most_turns; /* loop turns that each program may make; 0: any number */
    const struct tg_order
        *order;       /* decides when ops beside programs take place; NULL: as in `sequential` */
    tg_trace *trace;  /* log of op results; NULL: none.  Only for one machine at a time */
    bool has_windows; /* see interp/memory/windows.h */
    unsigned traps;   /* tg_trap bits */
    int64_t warps;    /* see tg_run_settings */
    const bool *partly_written;      /* see tg_run_settings */
    const tg_definedness *undefined; /* likewise */
    struct tg_room *room; /* interp/state/room.h; NULL: an op uses it, or none has needed any yet */
    struct tg_chain **chains; /* each chain if all are in flight at once; else NULL */
    int64_t chain_count;
    /* set by tg_launch_bind; in `arena` */
    tg_arena arena;
    tg_bound_code body, *maps; /* maps: per parameter */
    tg_bound_ptx *ptx;         /* of each INLINE_PTX; the modules are freed by tg_launch_unbind */
    size_t workspace_bytes, scratch_bytes, strip_bytes, extra_bytes;
    size_t *scratch_offset; /* per parameter */
    size_t *first_barrier,
        barrier_count;           /* first_barrier: per parameter, number of its first one */
    tg_prefetch_block *prefetch; /* per parameter */
    uint32_t most_operands;
} tg_launch;

#endif
