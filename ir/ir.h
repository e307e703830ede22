/* The intermediate representation: a module of kernels, as read from JSON and before lowering.
 *
 *   module -> kernel -> launch (axes, params with block mappings) + body (a region of ops)
 *
 * The module's arena owns everything.  Values are SSA: an id names one entry of kernel->values,
 * which is defined once (as an argument of a region or a result of an op) and visible to the ops
 * after it in its region and in nested regions.  docs/ir.md describes the language. */
#ifndef TG_IR_IR_H
#define TG_IR_IR_H

#include "base/arena.h"
#include "base/diag.h"
#include "layout/axe.h"
#include "ir/op.h"
#include "ir/type.h"

enum { TG_MAX_AXES = 16, TG_MAX_NESTING = 64, TG_MAX_OPERANDS = 4096 };

typedef uint32_t tg_value_id; /* index into kernel->values */

typedef struct tg_value {
    tg_type type;
    int64_t id; /* its number in JSON and text */
    /* Where each element is, by its row-major number; NULL: nothing is said.  Of a block of values:
     * in which thread and register.  Of a reference to memory of its own (alloc, scoped): in that
     * memory.  Of the result of view_layout: in the memory of its operand. */
    const tg_axe *layout;
    char *space; /* of a reference to memory of its own: as the source names it, or NULL */
} tg_value;

/* How one dimension of a reference is indexed. */
typedef enum tg_index_kind { TG_INDEX_SLICE, TG_INDEX_AT } tg_index_kind;

typedef struct tg_index_dim {
    tg_index_kind kind;
    bool has_start; /* SLICE: `start` is static; else the next index operand, a scalar, gives it */
    int64_t start, size, stride; /* SLICE: stride >= 1 */
} tg_index_dim; /* AT: the next index operand, a scalar or an array, gives the position */

/* Literal elements in the carrier of `dtype`, see ir/type.h. */
typedef struct tg_data {
    int64_t count; /* 1 for a splat, else the element count of the value */
    void *bytes;   /* count elements of tg_carrier_bytes[] each */
} tg_data;

typedef struct tg_attr {
    tg_attr_id id;
    int64_t count; /* entries of ints or index; length of text */
    union {
        int64_t integer; /* INT; BOOL as 0 or 1; NAME as position among its spellings */
        int64_t *ints;
        char *text;
        tg_index_dim *index;
        tg_data data;
    } as;
} tg_attr;

typedef struct tg_region tg_region;

typedef struct tg_op {
    tg_opcode code;
    uint32_t in_count, out_count, attr_count, region_count;
    uint32_t loc; /* index into module->locs; 0: unknown */
    tg_value_id *in, *out;
    tg_attr *attrs;
    tg_region *regions;
} tg_op;

struct tg_region {
    uint32_t arg_count, op_count, yield_count;
    tg_value_id *args;
    tg_op *ops;
    tg_value_id *yields;
};

typedef enum tg_role {
    TG_ROLE_PREFETCH,
    TG_ROLE_INPUT,
    TG_ROLE_OUTPUT,
    TG_ROLE_SCRATCH,
    TG_ROLE_COUNT
} tg_role;
extern const char *const tg_role_names[TG_ROLE_COUNT];

typedef enum tg_block_kind {
    TG_BLOCK_BLOCKED, /* first element = index * size */
    TG_BLOCK_ELEMENT, /* first element = index - pad_low */
    TG_BLOCK_SQUEEZED /* one element, first element = index; the dimension is absent from the ref */
} tg_block_kind;

typedef struct tg_block_dim {
    tg_block_kind kind;
    int64_t size;              /* 1 for SQUEEZED */
    int64_t pad_low, pad_high; /* ELEMENT: virtual undefined elements around the array */
} tg_block_dim;

typedef struct tg_param {
    char *name;
    tg_role role;
    tg_type array;                   /* the whole array in memory; for scratch, the buffer */
    tg_type ref;                     /* the reference that the body gets */
    bool has_block;                  /* false: the whole array */
    tg_block_dim block[TG_MAX_RANK]; /* array.rank entries when has_block */
    tg_region *index_map; /* NULL: zeros.  Arguments: one i32 per axis, then the prefetch refs */
    int alias;   /* OUTPUT: index of the input or prefetch param that shares its memory, or -1 */
    char *space; /* memory space as the source names it, or NULL */
    /* Where each element of the reference is in that memory; NULL: row-major. */
    const tg_axe *layout;
    int64_t arrivals; /* barriers: how many arrivals complete a phase; else 0 */
    bool is_shared;   /* SCRATCH with semaphores: all programs have the same, see docs/ir.md */
    /* SCRATCH: so many first dimensions are the coordinates of a block of a cluster, to which the part of the
     * memory there belongs; see docs/ir.md. */
    int64_t cluster;
    /* OUTPUT: some elements, but not all of them, may stay unwritten on purpose. */
    bool is_partly_written;
} tg_param;

/* Returns the type of the reference that a param's array and block give, without squeezed
 * dimensions. */
tg_type tg_param_ref(const tg_param *param);

/* What orders programs with different indices along an axis: nothing; the index; or, for *threads*,
 * which run at the same time and share scratch, only barriers, semaphores and atomics. */
typedef enum tg_semantics {
    TG_SEMANTICS_PARALLEL,
    TG_SEMANTICS_ARBITRARY,
    TG_SEMANTICS_THREAD,
    TG_SEMANTICS_COUNT
} tg_semantics;
extern const char *const tg_semantics_names[TG_SEMANTICS_COUNT];

/* Returns the semantics of that name, or TG_SEMANTICS_COUNT if there are none. */
tg_semantics tg_semantics_named(const char *name);

enum {
    TG_MOST_PROGRAM_THREADS = 1024, /* at the same indices on the other axes */
    TG_MOST_ARRIVALS = 1 << 20      /* at a barrier, in one phase */
};

typedef struct tg_grid_axis {
    char *name;   /* NULL if it has none */
    int64_t size; /* -1: given at launch */
    tg_semantics semantics;
    bool is_assumed; /* the source declares no semantics; `semantics` is parallel by default */
} tg_grid_axis;

typedef enum tg_dialect { TG_DIALECT_XLA, TG_DIALECT_TRITON } tg_dialect;

typedef struct tg_kernel {
    char *name;
    uint32_t loc;
    tg_dialect dialect;
    int axis_count; /* 0: one program */
    tg_grid_axis axes[TG_MAX_AXES];
    uint32_t param_count; /* in this order: prefetch, input, output, scratch */
    tg_param *params;
    uint32_t value_count;
    tg_value *values;
    tg_region body; /* arguments: one ref per param */
    /* The kernel that this one was rewritten from, with layouts (physical/physical.h); NULL: none. */
    const struct tg_kernel *logical;
} tg_kernel;

/* Returns the param that owns the memory of `param`: for an alias, the input that it names. */
static inline uint32_t tg_param_owner(const tg_kernel *k, uint32_t param)
{
    return k->params[param].alias >= 0 ? (uint32_t)k->params[param].alias : param;
}

typedef struct tg_loc {
    char *file, *function; /* "" where unknown */
    int64_t line;          /* 0 where unknown */
    uint32_t caller;       /* the location that it was called from, a lower index; 0: unknown */
    char *skipped;         /* the calls left out between the two, "3 frames in jax"; "" for none */
    char *variable;        /* what the line assigns the value to; "" where unknown or to none */
} tg_loc;

typedef struct tg_module {
    tg_arena arena;
    uint32_t loc_count; /* >= 1 */
    tg_loc *locs;       /* locs[0] is the unknown location */
    uint32_t kernel_count;
    tg_kernel *kernels;
    /* The same kernels with memory and values held where their layouts say (physical/physical.h), once
     * a run has asked for them; NULL before.  The module owns them. */
    struct tg_module *physical;
} tg_module;

/* Frees the module and everything in it; NULL is fine.  tg_module_free of the public interface is
 * the same. */
void tg_module_destroy(tg_module *module);

/* Returns the attribute, or NULL if the op does not carry it. */
const tg_attr *tg_op_attr(const tg_op *op, tg_attr_id id);

/* Returns the value of an INT, BOOL or NAME attribute, or `absent` if the op does not carry it. */
int64_t tg_op_int(const tg_op *op, tg_attr_id id, int64_t absent);

static inline const tg_type *tg_type_of(const tg_kernel *k, tg_value_id v)
{
    return &k->values[v].type;
}

/* The number of threads at the same indices on the other axes. */
int64_t tg_kernel_threads(const tg_kernel *k);

/* Number of params with `role`. */
uint32_t tg_param_count(const tg_kernel *k, tg_role role);

/* What an atomic orders, and for whom it is one: as the attributes `sem` and `scope` are spelled. */
typedef enum tg_atomic_sem {
    TG_SEM_ACQ_REL,
    TG_SEM_RELAXED,
    TG_SEM_ACQUIRE,
    TG_SEM_RELEASE
} tg_atomic_sem;
typedef enum tg_atomic_scope { TG_SCOPE_GPU, TG_SCOPE_CTA, TG_SCOPE_SYS } tg_atomic_scope;

/* Whether the op is an atomic access of memory: loads and stores are with `sem`. */
bool tg_op_is_atomic(const tg_op *op);

/* The order of the operands of a memory op (view, load, store, swap, add_update, atomic_*): in[0]
 * is the ref, then come `value_count` values, the index operands, the mask and `other`. */
typedef struct tg_access {
    const tg_index_dim *index;
    int rank;             /* entries of index = rank of the ref */
    uint32_t value_count; /* 1 for store, swap, add_update, atomic_rmw; 2 for atomic_cas; else 0 */
    uint32_t first_index, index_count; /* the index operands: in[first_index ...] */
    int64_t mask, other;               /* positions in op->in, or -1 */
} tg_access;

/* The number of its leading operands that are references. */
uint32_t tg_op_refs_of(const tg_op *op);

/* What the op does to the memory of operand `operand`, one of those: traits of ir/op.h. */
unsigned tg_op_effects_on(const tg_op *op, uint32_t operand);

/* Derives this order from the attributes alone.  The op's in_count may still be wrong: the verifier
 * checks it. */
tg_access tg_op_access(const tg_op *op);

/* Computes the shape of the block that a memory op reads or writes.  Slices keep their dimension.
 * Scalar and array positions are broadcast together: if the dimensions that they index are
 * adjacent, the broadcast shape replaces these dimensions, else it comes first (numpy's rule).
 * Returns false if the arrays do not broadcast or the rank exceeds TG_MAX_RANK. */
bool tg_access_shape(const tg_kernel *k, const tg_op *op, const tg_access *access, tg_type *out);

#endif
