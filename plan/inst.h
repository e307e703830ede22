/* The instructions of a plan, and their operands (plan/insts.def lists them).
 *
 * An *operand* is a strided view of a slot, so broadcasts, transposes, slices and most reshapes
 * cost nothing.  Runs of element-wise ops are *groups*: executed strip by strip, their inner values
 * never reach a slot. */
#ifndef TG_PLAN_INST_H
#define TG_PLAN_INST_H

#include "inline_ptx/registers.h"
#include "ir/ir.h"

typedef uint32_t tg_slot_id;
typedef uint32_t tg_ref_id; /* refs 0 .. param_count-1 are the parameters' */

enum { TG_NO_SLOT = UINT32_MAX };

/* The storage of a slot: dense, as allocated, or memory that is used in its place. */
enum { TG_STORAGE_DENSE, TG_STORAGE_MEMORY, TG_STORAGE_COUNT };

/* A strided view of a slot; offset and strides in elements, per kind of storage. */
typedef struct tg_operand {
    tg_slot_id slot;
    tg_dtype dtype;
    int rank;
    int64_t shape[TG_MAX_RANK];
    int64_t offset[TG_STORAGE_COUNT];
    int64_t stride[TG_STORAGE_COUNT][TG_MAX_RANK];
} tg_operand;

/* ---- groups of element-wise ops ---- */

typedef enum tg_place_kind { TG_PLACE_REGISTER, TG_PLACE_INPUT, TG_PLACE_OUTPUT } tg_place_kind;

/* Where an element-wise op reads or writes a strip: a register of the group, or one of its
 * operands. */
typedef struct tg_place {
    uint16_t kind, index;
} tg_place;

enum { TG_MAX_OP_INPUTS = 32 };

typedef struct tg_group_op {
    tg_opcode op;    /* an element-wise op */
    tg_dtype dtype;  /* of the operands; for select of the cases, for pow of the base */
    tg_dtype second; /* for select of `which`, for pow of the exponent, else of the result */
    uint32_t loc;
    int64_t imm; /* see tg_elementwise_fn */
    uint32_t in_count;
    tg_place *in, out;
} tg_group_op;

/* The dtype of the result. */
static inline tg_dtype tg_group_op_dtype(const tg_group_op *op)
{
    return op->op == TG_OP_select || op->op == TG_OP_pow ? op->dtype : op->second;
}

/* A block of a group that a layout has placed in memory of the program: the whole of ref `memory`. */
typedef struct tg_placed_block {
    tg_slot_id slot;
    tg_ref_id memory;
} tg_placed_block;

enum { TG_MOST_PLACED = 8 };

typedef struct tg_group {
    int rank;
    int64_t shape[TG_MAX_RANK], count;
    uint32_t op_count, input_count, output_count, register_count;
    tg_group_op *ops;
    tg_operand *inputs, *outputs;
    bool may_be_in_memory; /* some operand may be in place in memory */
    bool is_once; /* the same in every program: its outputs share their memory with no slot */
    /* All its blocks are placed alike, so that it may work right there (plan/placed.h); 0: they are
     * not. */
    uint32_t placed_count;
    tg_placed_block *placed;
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
    uint32_t root; /* the param that owns the memory; UINT32_MAX: scoped memory */
    tg_dtype dtype;
    int rank; /* of the ref */
    tg_access_dim *dims;
    int64_t *ref_shape;  /* rank entries */
    tg_type result;      /* shape of the access */
    bool has_no_strides; /* the ref has no strides: access it element by element */
    bool has_arrays;     /* some position is an array: access element by element */
    bool is_even;        /* index arrays that count up evenly were replaced by slices */
    bool is_fixed; /* only slices with static starts inside the ref; dimensions as in the ref */
    int position_first, position_rank; /* result dimensions of the positions */
    bool has_mask, has_other;
    tg_operand mask, other; /* broadcast to the result's shape */
    const tg_op *tensor;    /* the view_tensor that made the ref; NULL: none */
} tg_access_plan;

/* ---- instructions ---- */

typedef enum tg_inst_kind {
#define TG_INST(ID, id, body, visible, traits, names) TG_I_##ID,
#include "plan/insts.def"
    TG_I_KIND_COUNT
} tg_inst_kind;

typedef enum tg_inst_trait {
    TG_INST_COMPUTES = 1, /* has no other effect: its operands matter only if its results do */
    TG_INST_UPDATES = 2,  /* its results keep a part of their old value, or depend on it */
    TG_INST_BLOCKS = 4,   /* it may have to wait */
    TG_INST_ACCESSES = 8  /* it reads or writes elements of memory: as.access */
} tg_inst_trait;

/* The longest sum (k) of a dot whose addend may be in the memory that its result goes to. */
enum { TG_DOT_IN_PLACE = 256 };

/* The condition that a guard checks for an integer operand. */
typedef enum tg_guard_kind {
    TG_GUARD_NOT_ZERO, /* a divisor */
    TG_GUARD_BELOW,    /* a shift amount: below `limit` as an unsigned number */
    TG_GUARD_MULTIPLE  /* the kernel promises a multiple of `limit` */
} tg_guard_kind;

/* What an op beside the threads reads or writes: all of a ref.  Or a value, which it reads when it
 * starts. */
typedef struct tg_async_place {
    bool is_value;
    tg_ref_id ref;
    uint32_t root;
    tg_operand value;
    tg_type type;
} tg_async_place;

/* What performs ops beside the threads.  Each has groups of its own. */
typedef enum tg_async_engine {
    TG_ENGINE_COPIES,
    TG_ENGINE_PRODUCTS,
    TG_ENGINE_LOADS,  /* copies to registers, of tensor memory */
    TG_ENGINE_STORES, /* copies from registers */
    TG_ENGINE_COUNT
} tg_async_engine;

enum { TG_MOST_SOURCES = 5 };

/* Who is told that an op beside the threads has taken place. */
typedef enum tg_async_told {
    TG_ASYNC_TELLS_SEMAPHORE, /* it grows by the bytes */
    TG_ASYNC_TELLS_BARRIER,   /* its phase lasts until then */
    TG_ASYNC_ARRIVES,         /* that is all it does: an arrival at the barrier */
    TG_ASYNC_TELLS_GROUP      /* of the thread's ops */
} tg_async_told;

typedef struct tg_inst {
    tg_inst_kind kind;
    tg_opcode op; /* the operation that it was lowered from */
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
            /* for f32 operands: the kernel asks only for default precision */
            bool may_be_tf32;
            int64_t b, m, n, k;
            int64_t lhs_stride[TG_STORAGE_COUNT][3]; /* b, m, k */
            int64_t rhs_stride[TG_STORAGE_COUNT][3]; /* b, k, n */
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
            tg_operand indices, updates, out; /* out already holds a copy of the operand */
            tg_opcode combine;                /* TG_OP_COUNT: the update replaces the element */
            bool clamps;
        } * scatter;
        struct tg_inst_sort {
            uint32_t count, keys;
            tg_operand *in, *out; /* count of each; out dense */
            int axis;
            bool descending, total;
        } * sort;
        struct tg_inst_inline_ptx {
            const tg_inline_ptx *ptx; /* with dtypes and registers of `out`, then `in` */
            uint32_t in_count, out_count;
            tg_operand *in, *out; /* of one shape; out dense */
        } * inline_ptx;
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
        struct tg_inst_collective {
            unsigned along;   /* axes of the grid */
            const char *name; /* of what is executed; NULL: none is given */
        } * collective;
        struct tg_inst_cancel {
            tg_operand out;
            int64_t resident; /* chains that begin in any case */
        } * cancel;
        struct tg_inst_view {
            tg_access_plan access;
            tg_ref_id out;
        } * view;
        struct tg_inst_part {
            tg_ref_id from, out;
            uint32_t root;
            tg_type from_type, type;
            tg_operand *starts, *sizes;  /* type.rank scalars each */
            int64_t beyond[TG_MAX_RANK]; /* elements of padding that it may include */
        } * part;
        struct tg_inst_recast {
            tg_ref_id from, out;
            uint32_t root;
            tg_type from_type, type;
            int8_t permutation[TG_MAX_RANK]; /* view_transpose */
            /* view_layout: element x is that of number layout(x) of `from`, on axis m. */
            const tg_axe *layout;
            /* The first number of each run of `run` numbers that follow each other; NULL: there are too
             * many elements to list. */
            const int32_t *runs;
            int64_t run;
            /* The runs are the pieces of rows that a swizzle has permuted, so many in a row
             * (interp/blocks/kernels.h); 0: they are not. */
            int row_pieces;
            /* Row r has permutation r / row_repeat % row_kinds; 0: they come in no such order. */
            int row_kinds;
            int64_t row_repeat;
            bool is_of_scope; /* `from` is the whole of scoped memory */
            /* Each step along a dimension adds the same to the number, and no two are the same. */
            bool has_steps;
            int64_t step[TG_MAX_RANK];
        } * recast;
        struct tg_inst_scope {
            tg_ref_id out;
            tg_slot_id slot;
            tg_type type;
            bool is_overwritten; /* all of it, before it is read: its first values do not matter */
            tg_value_id value;   /* of the kernel: the ref */
        } * scope;
        struct tg_inst_access {
            tg_access_plan access;
            /* LOAD: dense result; STORE, ATOMIC: the stored value; atomic_cas: comparand */
            tg_operand value;
            tg_operand second; /* atomic_cas: the new value */
            tg_operand old;    /* dense; swap and atomics with a result */
            bool has_old;
            bool may_be_in_place; /* LOAD, TARGET+STORE: value's slot has storage in memory */
            /* TARGET: the next instruction is a dot with addend; short rows may be in place as
             * well. */
            bool is_of_dot;
            /* LOAD: a dot adds the value, or the next instruction stores it in memory of the program.
             * It may stay in place unless other programs run in between. */
            bool is_brief;
            /* LOAD of memory of the program, and the STORE of its value behind it: the load may put
             * the value right where it is stored, unless other programs run in between. */
            bool is_passed_on;
            /* LOAD, STORE of all of a list (interp/memory/recast.h) in scoped memory: the value is in one
             * piece, by its storage. */
            bool moves_all[TG_STORAGE_COUNT];
            bool
                is_placed; /* LOAD, STORE: of a block that its only group may use where it is placed */
            int64_t kind;      /* atomic_rmw: spelling number of `kind` */
            bool is_atomic;    /* ATOMIC; LOAD and STORE with `sem` */
            tg_atomic_sem sem; /* of such */
            tg_atomic_scope scope;
            const tg_op *source;
        } * access;
        struct tg_inst_semaphore {
            tg_ref_id ref;
            uint32_t root;
            tg_operand value; /* amount; semaphore_read: the result; dma_wait: unused */
            bool has_chain;   /* semaphore_signal: the semaphore of another chain, number ... */
            tg_operand chain;
            bool keeps;       /* a wait that does not decrease the semaphore */
            tg_ref_id copied; /* dma_wait: waits for the bytes of this ref */
            tg_type copied_type;
        } * semaphore;
        struct tg_inst_barrier {
            tg_ref_id ref;
            uint32_t root;
            int64_t followers;    /* barrier_wait: threads after this one that have waited then */
            bool is_idle;         /* barrier_wait */
            bool expects;         /* barrier_expect: */
            tg_operand bytes;     /* how many */
            bool at_once;         /* barrier_arrive: one step with the arrival before */
            bool orders_products; /* arrive, wait: hands on their order, takes it on */
        } * barrier;
        struct tg_inst_async {
            tg_async_place source[TG_MOST_SOURCES], to;
            uint32_t source_count;
            tg_async_engine engine;
            tg_ref_id signal; /* a semaphore or barrier, by `told` */
            uint32_t signal_root;
            tg_async_told told;
            bool
                is_expected; /* of a copy that tells a barrier: a barrier_expect counts its bytes */
            bool zero_outside; /* of a copy: what the source lacks is 0; else undefined */
            bool replaces;     /* of a product: the sum is not read */
            tg_dtype acc;      /* of a product: the type in which it is summed */
            /* Of a product, the sources with the scales of the left factor, before those of the
             * right one, and with the rows of the right factor of a sparse left one; 0: none. */
            uint32_t scales, selection;
            bool combines; /* a copy that reduces: each element with the one that is there */
            tg_opcode combine;
        } * async;
        struct tg_inst_async_group {
            tg_async_engine engine;
            tg_operand newest; /* of a wait: how many closed groups it does not wait for */
            bool waits, reads; /* else it closes a group; waits until sources are read only */
            bool is_promised;  /* of a wait: a GPU may do without */
            int64_t followers; /* of a wait: threads after this one that wait for their groups */
        } * async_group;
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
            uint32_t loop; /* a jump back: number of its while loop */
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

/* ---- operands, refs and targets of instructions ---- */

/* The name of each kind of instruction, and its tg_inst_trait bits. */
extern const char *const tg_inst_names[TG_I_KIND_COUNT];
extern const unsigned tg_inst_traits[TG_I_KIND_COUNT];

/* Whether the instruction is a visible event: other programs can see it, or it sees what they do.
 * An order may run others before it. */
bool tg_inst_is_visible(const tg_inst *inst);

/* Calls `visit` for each operand, and says whether it is written (then it may be read as well). */
typedef void tg_operand_fn(void *context, const tg_operand *o, bool is_written);
void tg_inst_operands(const tg_inst *inst, tg_operand_fn *visit, void *context);

/* Calls `visit` for each slot whose whole memory the instruction names. */
void tg_inst_slots(const tg_inst *inst, void (*visit)(void *context, tg_slot_id slot),
                   void *context);

/* How an instruction uses the memory of a ref. */
typedef enum tg_ref_use {
    TG_REF_VIEWED = 0, /* not accessed; another ref to it is made */
    TG_REF_READ = 1,
    TG_REF_WRITTEN = 2,
    TG_REF_UPDATED = 3, /* read and written in one step */
    TG_REF_AWAITED = 4  /* a semaphore or barrier */
} tg_ref_use;

/* Calls `visit` for each ref that the instruction uses, with the param that owns the memory
 * (UINT32_MAX: scoped memory). */
typedef void tg_ref_fn(void *context, tg_ref_use use, tg_ref_id ref, uint32_t root);
void tg_inst_refs(const tg_inst *inst, tg_ref_fn *visit, void *context);

/* Whether the instruction uses any memory in this way. */
bool tg_inst_uses(const tg_inst *inst, tg_ref_use use);

/* Returns the access of an instruction with the trait ACCESSES, else NULL. */
const tg_access_plan *tg_inst_accesses(const tg_inst *inst);

/* Returns the access of an instruction that accesses memory by atomics of its own; NULL for others, among them
 * those on semaphores and copies. */
const struct tg_inst_access *tg_inst_atomic(const tg_inst *inst);

/* Whether an atomic hands on what its program has done, and whether it takes on what others have. */
static inline bool tg_atomic_releases(const struct tg_inst_access *atomic)
{
    return atomic->sem == TG_SEM_RELEASE || atomic->sem == TG_SEM_ACQ_REL;
}
static inline bool tg_atomic_acquires(const struct tg_inst_access *atomic)
{
    return atomic->sem == TG_SEM_ACQUIRE || atomic->sem == TG_SEM_ACQ_REL;
}

/* Returns the ref that the instruction makes; UINT32_MAX: none. */
tg_ref_id tg_inst_made_ref(const tg_inst *inst);

/* Returns the first param whose memory the instruction uses or views; UINT32_MAX: none, or scoped
 * memory. */
uint32_t tg_inst_root(const tg_inst *inst);

/* Calls `visit` for each instruction that may come next, other than the following one. */
void tg_inst_targets(const tg_inst *inst, void (*visit)(void *context, uint32_t target),
                     void *context);

/* Returns the first instruction of the loop that ends with `inst`, which is number `at`; UINT32_MAX
 * if it ends no loop. */
uint32_t tg_inst_loop_start(const tg_inst *inst, uint32_t at);

#endif
