/* The lowered plan: what backends execute.
 *
 *   kernel --tg_plan_new--> instructions over slots
 *
 * A plan is a flat array of instructions with jumps; no instruction owns another.  Values live in *slots*,
 * dense row-major blocks of carriers (ir/type.h) in a workspace whose layout was settled by liveness; an
 * *operand* is a strided view of a slot, so broadcasts, transposes, slices and most reshapes cost nothing.
 * Runs of element-wise ops are *groups*: executed strip by strip, their inner values never reach a slot.
 *
 * A slot whose load or store can work on memory in place has a second layout, that of the memory: a
 * machine decides per program (block wholly inside the array: in place; else: dense copy), and every
 * operand on the slot carries both layouts. */
#ifndef TG_PLAN_PLAN_H
#define TG_PLAN_PLAN_H

#include "ir/ir.h"

typedef uint32_t tg_slot_id;
typedef uint32_t tg_ref_id; /* refs 0 .. param_count-1 are the parameters' */

enum { TG_NO_SLOT = UINT32_MAX };

typedef enum tg_slot_kind {
    TG_SLOT_WORK,     /* lives in the workspace at `offset` */
    TG_SLOT_CONSTANT, /* `data` belongs to the plan */
    TG_SLOT_UNDEFINED /* one undefined element, filled in by the machine */
} tg_slot_kind;

typedef struct tg_slot {
    tg_slot_kind kind;
    tg_dtype dtype; /* held in its carrier; for memory of scoped refs: in memory representation */
    int64_t count;  /* elements */
    size_t bytes, offset; /* WORK: extent in the workspace, offset aligned to 64 */
    void *data;           /* CONSTANT */
    bool has_memory;      /* has a memory layout */
    uint32_t first, last; /* instructions between which it is alive */
    tg_slot_id exchange;  /* union-find parent: slots that exchange memory share one lifetime */
} tg_slot;

/* Layouts of a slot: how it was allocated, or that of the memory used in its place. */
enum { TG_LAYOUT_DENSE, TG_LAYOUT_MEMORY, TG_LAYOUT_COUNT };

/* A strided view of a slot; offset and strides in elements, per layout. */
typedef struct tg_operand {
    tg_slot_id slot;
    tg_dtype dtype;
    int rank;
    int64_t shape[TG_MAX_RANK];
    int64_t offset[TG_LAYOUT_COUNT];
    int64_t stride[TG_LAYOUT_COUNT][TG_MAX_RANK];
} tg_operand;

/* ---- groups of element-wise ops ---- */

typedef enum tg_place_kind { TG_PLACE_REGISTER, TG_PLACE_INPUT, TG_PLACE_OUTPUT } tg_place_kind;

/* Where a lane op finds or leaves a strip: a register of the group, or one of its operands. */
typedef struct tg_place {
    uint16_t kind, index;
} tg_place;

enum { TG_MAX_LANE_INPUTS = 32 };

typedef struct tg_lane {
    tg_opcode op;    /* an element-wise op */
    tg_dtype dtype;  /* of the operands; for select of the cases, for pow of the base */
    tg_dtype second; /* of select's `which`, pow's exponent, else that of the result */
    uint32_t loc;
    int64_t imm; /* see tg_lanes_fn */
    uint32_t in_count;
    tg_place *in, out;
} tg_lane;

typedef struct tg_group {
    int rank;
    int64_t shape[TG_MAX_RANK], count;
    uint32_t lane_count, input_count, output_count, register_count;
    tg_lane *lanes;
    tg_operand *inputs, *outputs;
    bool has_memory_layout; /* some operand may be in place */
    bool is_once; /* the same in every program: its outputs keep their memory throughout */
} tg_group;

/* ---- memory ---- */

/* One dimension of an indexed ref. */
typedef struct tg_access_dim {
    tg_index_kind kind;
    bool has_operand; /* SLICE: the start comes from `operand`; AT: always */
    int64_t start, size, stride;
    int result_dim;     /* SLICE: dimension of the result */
    tg_operand operand; /* scalar for SLICE; for AT broadcast to the positions' shape */
} tg_access_dim;

typedef struct tg_access_plan {
    tg_ref_id ref;
    uint32_t root; /* param whose memory it is; UINT32_MAX: a scoped ref */
    tg_dtype dtype;
    int rank; /* of the ref */
    tg_access_dim *dims;
    int64_t *ref_shape;  /* rank entries */
    tg_type result;      /* shape of the access */
    bool has_no_strides; /* of the ref: element by element */
    bool has_arrays;     /* some position is an array: element by element */
    bool is_even;        /* there were arrays; they count up evenly and are slices */
    bool is_fixed; /* slices at known places inside the ref; its dimensions are the result's */
    int position_first, position_rank; /* result dimensions of the positions */
    bool has_mask, has_other;
    tg_operand mask, other; /* broadcast to the result's shape */
} tg_access_plan;

/* ---- instructions ---- */

typedef enum tg_inst_kind {
    TG_I_GROUP,
    TG_I_COPY, /* view to view */
    TG_I_REDUCE,
    TG_I_ARG_REDUCE,
    TG_I_SCAN,
    TG_I_DOT,
    TG_I_GATHER,
    TG_I_SCATTER,
    TG_I_SORT,
    TG_I_BITCAST,
    TG_I_DYNAMIC, /* copy from or to a part chosen at run time: dynamic_slice, dynamic_update_slice */
    TG_I_PROGRAM_ID,
    TG_I_NUM_PROGRAMS,
    TG_I_VIEW,      /* make a ref */
    TG_I_PART,      /* make a ref to a part whose length is known at run time only */
    TG_I_RECAST,    /* make a ref to the same elements in another shape or dtype */
    TG_I_SCOPE,     /* make a ref to fresh undefined memory */
    TG_I_SCOPE_END, /* that memory is not used any more */
    TG_I_LOAD,      /* visible */
    TG_I_TARGET,    /* visible: choose where the next group leaves what TG_I_STORE stores */
    TG_I_STORE,     /* visible, unless a TARGET came before; with an old value: swap */
    TG_I_ATOMIC,    /* visible: add_update, atomic_rmw, atomic_cas */
    TG_I_SEMAPHORE, /* visible, may block: semaphore_signal, semaphore_wait, semaphore_read, dma_wait */
    TG_I_DMA,       /* visible: dma_start */
    TG_I_GUARD,     /* report an operand with an element that is forbidden, or breaks a promise */
    TG_I_PRINT,
    TG_I_CHECK,    /* a finding unless `condition` */
    TG_I_EXCHANGE, /* two slots exchange memory */
    TG_I_JUMP,
    TG_I_SWITCH,
    TG_I_FOR_TEST, /* leave the loop unless counter < upper */
    TG_I_FOR_NEXT, /* counter += step; jump */
    TG_I_END,
    TG_I_KIND_COUNT
} tg_inst_kind;

/* The longest sum (k) of a dot whose addend may be where its result goes. */
enum { TG_DOT_IN_PLACE = 256 };

/* What an operand of integers must be. */
typedef enum tg_guard_kind {
    TG_GUARD_NOT_ZERO, /* a divisor */
    TG_GUARD_BELOW,    /* a shift amount: read as unsigned, below `limit` */
    TG_GUARD_MULTIPLE  /* what is promised to be a multiple of `limit` */
} tg_guard_kind;

typedef struct tg_inst {
    tg_inst_kind kind;
    tg_opcode op; /* the operation it comes from */
    uint32_t loc;
    union {
        tg_group *group;
        struct tg_inst_copy {
            tg_operand to, from;
        } * copy;
        struct tg_inst_reduce {
            tg_operand in, out;
            unsigned axes;
            int axis;
            bool reverse;
        } * reduce;
        struct tg_inst_dot {
            tg_operand lhs, rhs, out;
            tg_operand addend; /* `has_addend`: out = lhs x rhs + addend, matrices of dense rows */
            bool has_addend;   /* otherwise `out` is dense */
            tg_dtype acc;
            bool
                may_be_tf32; /* of f32 operands: the kernel asks for no more than default precision */
            int64_t b, m, n, k;
            int64_t lhs_stride[TG_LAYOUT_COUNT][3]; /* b, m, k */
            int64_t rhs_stride[TG_LAYOUT_COUNT][3]; /* b, k, n */
        } * dot;
        struct tg_inst_gather {
            const tg_op *op;
            tg_operand in, indices, out;
            tg_type result;
            bool fills, has_fill_value; /* no value: undefined */
            uint64_t fill;              /* bits of the carrier */
        } * gather;
        struct tg_inst_scatter {
            const tg_op *op;
            tg_operand indices, updates, out; /* out holds the operand already */
            tg_opcode combine; /* TG_OP_COUNT: the update takes the element's place */
            bool clamps;
        } * scatter;
        struct tg_inst_sort {
            uint32_t count, keys;
            tg_operand *in, *out; /* count of each; out dense */
            int axis;
            bool descending, total;
        } * sort;
        struct tg_inst_bitcast {
            tg_operand in, out;
        } * bitcast; /* both dense */
        struct tg_inst_dynamic {
            tg_operand whole,
                part; /* dynamic_slice: whole is read, part is written; update: the reverse */
            bool is_update;
            tg_operand *starts; /* whole.rank scalars */
        } * dynamic;
        struct tg_inst_grid {
            tg_operand out;
            int axis;
        } * grid;
        struct tg_inst_view {
            tg_access_plan access;
            tg_ref_id out;
        } * view;
        struct tg_inst_part {
            tg_ref_id from, out;
            uint32_t root;
            tg_type from_type, type;
            tg_operand *starts, *sizes;  /* type.rank scalars each */
            int64_t beyond[TG_MAX_RANK]; /* elements of padding that it may take in */
        } * part;
        struct tg_inst_recast {
            tg_ref_id from, out;
            tg_type from_type, type;
            int8_t permutation[TG_MAX_RANK]; /* view_transpose */
        } * recast;
        struct tg_inst_scope {
            tg_ref_id out;
            tg_slot_id slot;
            tg_type type;
        } * scope;
        struct tg_inst_access {
            tg_access_plan access;
            tg_operand
                value; /* LOAD: dense result; STORE, ATOMIC: what is stored; atomic_cas: comparand */
            tg_operand second; /* atomic_cas: the new value */
            tg_operand old;    /* dense; swap and atomics with a result */
            bool has_old;
            bool may_be_in_place; /* LOAD, TARGET+STORE: value's slot has a memory layout */
            /* A dot that adds comes next.  TARGET: short rows do as well.  LOAD: it adds this, which may be in
             * place unless other programs run in between. */
            bool is_of_dot;
            int64_t kind; /* atomic_rmw: spelling number of `kind` */
            const tg_op *source;
        } * access;
        struct tg_inst_semaphore {
            tg_ref_id ref;
            uint32_t root;
            tg_operand value; /* by how much; of semaphore_read the result; not of dma_wait */
            bool has_chain;   /* semaphore_signal: that of another chain, with the number ... */
            tg_operand chain;
            bool keeps;       /* a wait that takes nothing away */
            tg_ref_id copied; /* dma_wait: waits for the bytes of this one */
            tg_type copied_type;
        } * semaphore;
        struct tg_inst_dma {
            tg_ref_id from, to, semaphore;
            uint32_t from_root, to_root, semaphore_root;
            tg_type type; /* of `from` and `to` */
        } * dma;
        struct tg_inst_guard {
            tg_guard_kind kind;
            int64_t limit;
            tg_operand in;
        } * guard;
        struct tg_inst_print {
            const char *format;
            const tg_op *source; /* for its print_ attributes */
            uint32_t in_count;
            tg_operand *in;
            tg_operand condition; /* CHECK */
        } * print;
        struct tg_inst_exchange {
            tg_slot_id a, b;
        } exchange;
        struct tg_inst_jump {
            uint32_t target;
            uint32_t loop; /* that goes back: number of its while loop */
        } jump;
        struct tg_inst_switch {
            tg_operand on;
            uint32_t target_count, *targets;
        } * on;
        struct tg_inst_for {
            tg_operand counter, upper, step;
            uint32_t target;
        } * loop;
    } as;
} tg_inst;

typedef struct tg_code {
    tg_inst *list;
    uint32_t count;
} tg_code;

/* ---- launch ---- */

/* How the block of a param is found from the program id. */
typedef struct tg_mapping {
    bool is_affine; /* index[d] = base[d] + sum over axes of factor[d][axis] * program_id[axis] */
    int64_t base[TG_MAX_RANK];
    int64_t factor[TG_MAX_RANK][TG_MAX_AXES];
    tg_code code;                  /* otherwise: run this, ... */
    tg_operand index[TG_MAX_RANK]; /* ... then read these scalars (i32 or i64) */
} tg_mapping;

/* A while loop, with what decides how it goes on (plan/whiles.c). */
typedef struct tg_while {
    uint32_t start;      /* first instruction of a turn */
    bool polls;          /* each turn may read what other programs write */
    bool writes_scratch; /* what a turn leaves there decides as well */
    uint32_t slot_count;
    tg_slot_id *slots; /* the values that decide, where a turn begins */
    size_t bytes;      /* of all of them */
} tg_while;

typedef struct tg_plan {
    tg_arena arena;
    const tg_module *module;
    const tg_kernel *kernel;
    tg_code body;
    uint32_t while_count;
    tg_while *whiles;
    tg_mapping *mappings;       /* one per param; for those without a block: affine zeros */
    bool *is_written, *is_read; /* per param: by its own ref or one that shares its memory */
    uint32_t slot_count, ref_count;
    tg_slot *slots;
    tg_type *ref_types;
    size_t workspace_bytes;
    bool is_coupled; /* chains signal each other's semaphores: all of them are in flight at once */
} tg_plan;

/* Lowers a verified kernel, which must outlive the plan.  TG_ERR_UNSUPPORTED with the op's place, or
 * TG_ERR_NO_MEMORY. */
tg_status tg_plan_new(const tg_module *module, const tg_kernel *kernel, tg_plan **out,
                      tg_diags *diags);
void tg_plan_free(tg_plan *plan); /* NULL is fine */

/* One line per instruction; the caller frees it.  NULL without memory. */
char *tg_print_plan(const tg_plan *plan);

/* Calls `visit` for each operand of the instruction, with whether it is written (then perhaps read as well).  Memory of
 * refs and slots as such (SCOPE, EXCHANGE) are no operands. */
typedef void tg_operand_fn(void *context, const tg_operand *o, bool is_written);
void tg_inst_operands(const tg_inst *inst, tg_operand_fn *visit, void *context);

/* The slot that stands for all those with which `slot` exchanges memory (plan/layout.c). */
tg_slot_id tg_plan_exchange_root(const tg_plan *plan, tg_slot_id slot);

/* Parts of tg_plan_new: chooses workspace offsets by liveness (plan/layout.c), and then describes while loops. */
tg_status tg_plan_layout(tg_plan *plan);
tg_status tg_plan_find_whiles(tg_plan *plan);

#endif
