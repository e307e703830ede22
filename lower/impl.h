/* Definitions shared by the files of the lowering.
 *
 *   lower.c       the whole plan of a kernel
 *   effects.c     which params' memory is read and written
 *   maps.c        index maps
 *   region.c      regions: the values that they use; lowers them op by op
 *   dispatch.c    which function lowers which op, in which dialect; expanded from ir/ops.def
 *   elementwise.c element-wise ops; they stay pending, as nodes (nodes.c), until an instruction
 *                 needs their value: then groups.c makes one instruction of all pending nodes that
 *                 the value depends on and that have its shape
 *   literals.c, shape.c, moves.c, gather.c, reduce.c, dot.c   ops on blocks
 *   access.c, index.c   the index of an access
 *   memory.c, refs.c, semaphore.c   ops on references
 *   loops.c, branch.c, scopes.c, program.c   control flow, grid, and ops that print or report
 *   guards.c      guards: operands that an op forbids, unless they are constants that it allows
 *   compose.c     ops that are several element-wise nodes
 *   extremum.c, convert.c   max and min with and without NaN, conversions, in both dialects
 *   triton.c      other ops that mean something else in the dialect `triton`
 *   operands.c    strided views of slots
 *   base.c        memory, instructions, slots, references */
#ifndef TG_LOWER_IMPL_H
#define TG_LOWER_IMPL_H

#include "plan/plan.h"

/* A value during the lowering: either ready, as an operand, or a pending element-wise op, which
 * joins the group of the first instruction that needs it. */
typedef uint32_t tg_node_id;

enum { TG_NO_NODE = UINT32_MAX };

typedef struct tg_node {
    tg_type type;
    bool is_ready; /* `at` is valid */
    tg_operand at;
    tg_opcode op; /* pending: the element-wise op, on nodes of this same shape */
    tg_dtype dtype, second;
    int64_t imm;
    uint32_t loc, in_count;
    tg_node_id *in;
    uint32_t uses; /* uses by instructions and nodes that are not emitted yet */
    uint32_t mark; /* 1 + position in the group being built, else 0 */
} tg_node;

/* A ref and the strides of its memory, as far as they are known before the run. */
typedef struct tg_ref_plan {
    tg_type type;
    uint32_t root; /* param, or UINT32_MAX for scoped memory */
    int64_t stride[TG_MAX_RANK];
    bool has_no_strides; /* a reshape or bitcast whose elements no strides can describe */
} tg_ref_plan;

typedef struct tg_lowerer tg_lowerer;

/* Lowers a live op, the next one in its region: emits instructions, or leaves nodes pending.
 * Functions of this type are entries of the table of lower/dispatch.h. */
typedef void tg_lower_fn(tg_lowerer *l, const tg_op *op);

struct tg_lowerer {
    tg_plan *plan;
    tg_arena *arena;  /* of the plan */
    tg_arena scratch; /* freed at the end of the lowering */
    const tg_kernel *kernel;
    tg_diags *diags;
    tg_status failed;       /* the first failure, or TG_OK; see lower/base.h */
    tg_inst unused;         /* the instruction returned after a failure */
    tg_node_id *value_node; /* per value of the kernel */
    const tg_op **value_op; /* the op that defines it; NULL for arguments of regions */
    tg_ref_id *value_ref;
    uint32_t *value_uses;
    tg_node *nodes;
    uint32_t node_count, node_capacity;
    tg_inst *insts; /* of the code being lowered */
    uint32_t inst_count, inst_capacity, slot_capacity, ref_capacity;
    tg_ref_plan *refs;
    bool keeps_slots;        /* new slots live for the whole program (index maps) */
    const tg_region *region; /* in which the next op is */
    uint32_t region_start;   /* first instruction of the region, or after a nested region */
    tg_node_id last_dot;     /* the result of the last dot emitted in this region, or TG_NO_NODE */
    tg_lower_fn *const *lower_op; /* by opcode: the table of the kernel's dialect */
    struct tg_alloc *allocs;      /* the allocs of the region, latest first */
};

/* Memory of an `alloc`; it ends with the region. */
typedef struct tg_alloc {
    struct tg_alloc *next;
    const tg_op *op;
    struct tg_inst_scope *scope;
} tg_alloc;

#endif
