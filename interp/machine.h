/* The stepping machine: one program of the grid at a time, stoppable before every visible event.
 *
 *   tg_launch   what all machines of a run share: plan, functions of the chosen ISA, memory, grid
 *   tg_machine  one program in flight: program counter, slots, refs, scratch */
#ifndef TG_INTERP_MACHINE_H
#define TG_INTERP_MACHINE_H

#include "interp/blocks/blocks.h"
#include "report/finding.h"
#include "interp/lanes/lanes.h"
#include "interp/dma.h"
#include "interp/wait.h"
#include "interp/detector.h"
#include "interp/observer.h"
#include "plan/plan.h"
#include "ir/reduction.h"
#include "ir/tensor.h"
#include "plan/trace.h"
#include "ir/setting.h"

/* Memory of one parameter, shared by all programs; aliased parameters have equal `data`. */
typedef struct tg_buffer {
    unsigned char *data;
    int64_t count; /* elements */
    int64_t stride[TG_MAX_RANK];
    bool is_told; /* observers hear what programs do to it */
} tg_buffer;

/* The loops of a group once dimensions that act as one are merged; the last is the innermost. */
typedef struct tg_geometry {
    int rank;
    int64_t shape[TG_MAX_RANK];
    int64_t *stride; /* [operand][TG_MAX_RANK], inputs first, then outputs */
} tg_geometry;

/* A group with what depends on the ISA and on the layouts of its operands. */
typedef struct tg_bound_group {
    const tg_group *group;
    tg_lane_op *ops;                       /* per lane */
    tg_geometry geometry[TG_LAYOUT_COUNT]; /* all dense; all that can be in memory in memory */
} tg_bound_group;

typedef struct tg_bound_code {
    tg_bound_group *groups; /* per instruction; unused where it is no group */
} tg_bound_code;

/* Loops of a machine's program that may spin (interp/spin.h). */
typedef struct tg_spin tg_spin;

/* What an op may not make (checks/traps.c). */
typedef enum tg_trap { TG_TRAP_NAN = 1, TG_TRAP_INF = 2 } tg_trap;

typedef struct tg_ahead_block {
    size_t bytes;    /* of a block that is worth fetching ahead (ahead.h); 0: it is not */
    int64_t element; /* bytes of one */
} tg_ahead_block;

typedef struct tg_launch {
    const tg_plan *plan;
    const tg_lanes *lanes;
    tg_setting setting;
    uint64_t
        rubbish; /* not 0: what is undefined holds any bits, which this seed names (tests only) */
    int axis_count;
    int64_t grid[TG_MAX_AXES];
    tg_buffer *buffers; /* per param; scratch has none here */
    tg_findings *findings;
    unsigned checks; /* tg_check_bit bits */
    tg_attached detectors;
    const tg_observer *observer; /* of the caller; NULL: none */
    unsigned watched;            /* tg_touch_kind bits that somebody wants */
    pthread_mutex_t atomics;     /* held for the length of one atomic op, or of one call of print */
    void (*print)(void *context, const char *text);
    void *print_context;
    /* Asked now and then by a machine within a loop whether to stop; NULL: nobody ever wants to. */
    bool (*wants_stop)(void *context, bool is_caller);
    void *stop_context;
    /* Told of every write while programs wait; NULL: none does. */
    void (*written)(void *context, const tg_touch *touch);
    void *written_context;
    int64_t most_turns;           /* of loops, of each program; 0: as many as it likes */
    const struct tg_order *order; /* says when copies take place; NULL: as in order `sequential` */
    tg_trace *trace;  /* what ops leave goes here; NULL: nowhere.  One machine at a time */
    bool has_windows; /* see interp/windows.h */
    unsigned traps;   /* tg_trap bits */
    const bool *partly_written; /* see tg_run_settings */
    struct tg_machine **chains; /* where all chains are in flight: that of each one; else NULL */
    int64_t chain_count;
    /* what binding adds; lives in `arena` */
    tg_arena arena;
    tg_bound_code body, *maps; /* maps: per param */
    size_t workspace_bytes, scratch_bytes, strip_bytes, extra_bytes;
    size_t *scratch_offset; /* per param */
    tg_ahead_block *ahead;  /* per param */
    uint32_t most_operands;
} tg_launch;

/* A reference at run time: a strided view of memory, of which only part may be inside the array. */
typedef struct tg_ref {
    unsigned char *data; /* of the whole buffer */
    int64_t origin;      /* element offset of index [0,...]; may lie outside the buffer */
    int64_t shape[TG_MAX_RANK], stride[TG_MAX_RANK];
    int64_t low[TG_MAX_RANK], high[TG_MAX_RANK]; /* indices low <= i < high are inside the array */
    bool is_inside;                              /* all of it */
    bool is_nothing; /* none of it: says so for a scalar, which has no indices */
    /* NULL: offsets are elements of `data`.  Else they number the elements of another ref as this
     * instruction sees them, row-major: no strides say where they are (recast.c). */
    const struct tg_inst_recast *through;
} tg_ref;

/* What is guessed of a parameter's next block; see ahead.h. */
typedef struct tg_ahead {
    int64_t origin, step;       /* of this program's block, and how far it has moved, in elements */
    const unsigned char *block; /* the next one */
    size_t fetched, bytes;      /* of it; equal: nothing is left to be fetched */
} tg_ahead;

/* READY: the program stands before a visible event.  BLOCKED: it cannot go on, which has been reported.  WAITING: until m->wait is
 * over.  GIVING_WAY: it has looked at memory that others may write for very many turns, and may be waiting, but that is not
 * known: others should go on as well. */
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
    int64_t order;       /* place of the program in the grid, row-major */
    int64_t chain;       /* number of its chain */
    const tg_code *code; /* that is executed: the body, or an index map */
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
    unsigned char *workspace, *scratch, *strips, *extra;
    void **slot;     /* per slot: where it is now */
    uint8_t *layout; /* per slot: TG_LAYOUT_DENSE or _MEMORY */
    bool *is_kept;   /* per slot: computed once, and that has been done */
    tg_ref *refs;
    tg_ahead *ahead;            /* per param */
    bool ahead_left;            /* there may be something to fetch */
    int64_t *stride;            /* room for a geometry made on the fly */
    unsigned char **pointer;    /* per operand of a group */
    uint8_t *operand_layout;    /* likewise */
    uint8_t *way;               /* likewise: how lane ops get at it, see group.c */
    uint64_t *undefined;        /* one element per slot of that kind, see tg_machine_new */
    tg_dmas dmas;               /* live as long as scratch does */
    tg_signals signals;         /* likewise */
    void **owns;                /* per detector of the launch: what it keeps for this machine */
    void *own;                  /* of the detector that is called */
    bool is_looked_at;          /* by somebody, before or after each instruction */
    struct tg_panels *panels;   /* interp/panels.h; NULL: none have been packed */
    struct tg_windows *windows; /* interp/windows.h; NULL: there are none */
    const tg_wait *wait;        /* what the program waits for; NULL: it does not */
    struct tg_awaited {
        const tg_inst *inst;
        const int64_t *semaphore;
        int64_t wanted;
    } awaited; /* of a wait for a semaphore */
} tg_machine;

/* Looks up every lane function and measures all memory that machines need.  TG_ERR_UNSUPPORTED with the
 * op's place where the ISA's table lacks one, TG_ERR_NO_MEMORY. */
tg_status tg_launch_bind(tg_launch *launch, tg_diags *diags);
void tg_launch_unbind(tg_launch *launch);

/* NULL without memory. */
tg_machine *tg_machine_new(tg_launch *launch);
void tg_machine_free(tg_machine *m);

/* Fresh scratch, undefined, and no copies: at the start of each walk over the arbitrary axes. */
void tg_machine_reset_scratch(tg_machine *m);

/* The end of scratch, once the last program over the arbitrary axes is done: copies still on their way take place, and what nobody waited
 * for is reported. */
void tg_machine_finish_scratch(tg_machine *m);

/* Gets ready to run one program: finds its blocks, reports those outside their array. */
void tg_machine_start(tg_machine *m, const int64_t *program, int64_t order, int64_t chain);

/* Runs to the end of the program, or with `stops` up to the next visible event: each call performs the
 * event the last one stopped before, and what follows up to the next.  STOPPED, now and from then on, where
 * the launch wanted so in the middle of a loop, `stopped_in`. */
tg_step tg_machine_run(tg_machine *m);

/* ---- parts of the machine, one file each ---- */

static inline unsigned char *tg_operand_at(const tg_machine *m, const tg_operand *o)
{
    return (unsigned char *)m->slot[o->slot] +
           o->offset[m->layout[o->slot]] * tg_carrier_bytes[tg_carrier_of(o->dtype)];
}

/* Memory of a param; of scratch, the machine's own. */
static inline unsigned char *tg_machine_memory(const tg_machine *m, uint32_t param)
{
    return m->launch->plan->kernel->params[param].role == TG_ROLE_SCRATCH
               ? m->scratch + m->launch->scratch_offset[param]
               : m->launch->buffers[param].data;
}

/* The operand as a view of elements where they are now. */
tg_view tg_operand_view(const tg_machine *m, const tg_operand *o);

/* Value of an integer or bool scalar; the scalar becomes `value`, cut to its width. */
int64_t tg_operand_int(const tg_machine *m, const tg_operand *o);
void tg_operand_set_int(const tg_machine *m, const tg_operand *o, int64_t value);

/* The shape of a dot whose operands are in the given layouts. */
tg_dot_shape tg_dot_shape_of(const struct tg_inst_dot *dot, int lhs, int rhs);

/* bind.c: undefined values in carriers, as the launch's mode wants them */
void tg_launch_fill(const tg_launch *launch, void *to, tg_dtype dtype, size_t count);
void tg_launch_fill_memory(const tg_launch *launch, void *to, tg_dtype dtype, size_t count);

/* group.c */
tg_status tg_group_bind(tg_launch *launch, const tg_inst *inst, tg_bound_group *bound,
                        tg_diags *diags);
void tg_group_run(tg_machine *m, const tg_bound_group *bound);

/* bitcast.c */
size_t tg_bitcast_workspace(const struct tg_inst_bitcast *cast);

/* refs.c */
void tg_ref_start(tg_machine *m, uint32_t param);

/* The elements of the ref that are inside the array, each of `bytes`. */
tg_extent tg_ref_extent(const tg_ref *ref, int rank, size_t bytes);

/* semaphore.c */

/* The semaphore that the ref shows; NULL where it is outside, which its view has reported. */
int64_t *tg_semaphore_at(const tg_machine *m, tg_ref_id ref);

/* Reports the first semaphore of an array that is not 0 where its memory ends. */
void tg_semaphores_end(tg_machine *m, const tg_inst *inst, const tg_param *param,
                       const int64_t *semaphores, int64_t count);

/* recast.c */

/* Where the bytes of an element are: `piece_bytes` at each of its places, lowest bytes first. */
enum { TG_MOST_PIECES = 8 };
typedef struct tg_pieces {
    unsigned char *at[TG_MOST_PIECES];
    size_t piece_bytes;
    int count;
} tg_pieces;

/* Finds the element at `offset` of a ref of `dtype`; false where part of it is outside the array. */
bool tg_ref_pieces(const tg_machine *m, const tg_ref *ref, tg_dtype dtype, int64_t offset,
                   tg_pieces *pieces);

/* scatter.c: calls `visit` for each element inside the array that the access touches, masked-off lanes left out */
void tg_access_elements(tg_machine *m, const tg_inst *inst,
                        void (*visit)(void *context, const tg_pieces *pieces), void *context);

/* A finding of the program in flight, without a message. */
tg_found tg_machine_finding(const tg_machine *m, tg_finding_kind kind, const tg_inst *inst,
                            const tg_param *param);

/* Reports a finding of the program in flight; the message is a format. */
TG_PRINTF(5, 6)
void tg_machine_found(tg_machine *m, tg_finding_kind kind, const tg_inst *inst,
                      const tg_param *param, const char *format, ...);

/* trace.c, for launches with a trace: before each instruction; what an op of a group has just given, the elements
 * `group_elements` and on; after the instruction, where `traced` is set */
void tg_machine_trace_begin(tg_machine *m);
void tg_machine_trace_lane(tg_machine *m, uint32_t lane, const void *carriers, size_t count);
void tg_machine_trace_end(tg_machine *m);

/* observer.c: whether anybody wants to hear of this access, and telling them */
static inline bool tg_is_watched(const tg_machine *m, const tg_access_plan *a, tg_touch_kind kind)
{
    return (m->launch->watched & kind) && a->root != UINT32_MAX &&
           m->launch->buffers[a->root].is_told;
}
void tg_machine_told(const tg_machine *m, tg_touch *touch);    /* fills in the memory */
void tg_machine_touched(const tg_machine *m, tg_touch *touch); /* and the program */
void tg_machine_touched_run(const tg_machine *m, const tg_inst *inst, tg_touch_kind kind,
                            size_t width, int64_t first, int64_t stride, int64_t count);

#endif
