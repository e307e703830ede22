/* Private to the lowering (ir/lower*.c). */
#ifndef TG_LOWER_IMPL_H
#define TG_LOWER_IMPL_H

#include <setjmp.h>

#include "plan/plan.h"

/* A value on its way into the plan: either at hand as an operand, or an element-wise op still pending, so
 * that it can be fused into the group of whoever wants it first. */
typedef uint32_t tg_node_id;

enum { TG_NO_NODE = UINT32_MAX };

typedef struct tg_node {
    tg_type type;
    bool is_ready; /* `at` is valid */
    tg_operand at;
    tg_opcode op; /* pending: the element-wise op, on nodes of this very shape */
    tg_dtype dtype, second;
    int64_t imm;
    uint32_t loc, in_count;
    tg_node_id *in;
    uint32_t uses; /* by instructions and nodes not yet emitted */
    uint32_t mark; /* 1 + position in the group being built, else 0 */
} tg_node;

/* A ref and the layout of its memory, as far as it is known before the run. */
typedef struct tg_ref_plan {
    tg_type type;
    uint32_t root; /* param, or UINT32_MAX for scoped memory */
    int64_t stride[TG_MAX_RANK];
    bool has_no_strides; /* reshaped or bitcast so that no strides say where its elements are */
} tg_ref_plan;

typedef struct tg_lowerer {
    tg_plan *plan;
    tg_arena *arena;  /* of the plan */
    tg_arena scratch; /* dies with the lowering */
    const tg_kernel *kernel;
    tg_diags *diags;
    jmp_buf give_up;        /* taken on exhausted memory and unsupported ops, ... */
    tg_status failed;       /* ... with this status */
    tg_node_id *value_node; /* per value of the kernel */
    const tg_op **value_op; /* what defines it; NULL for arguments of regions */
    tg_ref_id *value_ref;
    uint32_t *value_uses;
    tg_node *nodes;
    uint32_t node_count, node_capacity;
    tg_inst *insts; /* of the code being lowered */
    uint32_t inst_count, inst_capacity, slot_capacity, ref_capacity;
    tg_ref_plan *refs;
    bool keeps_slots; /* slots made now live for the whole program (index maps) */
    uint32_t
        region_start; /* first instruction of the region, or of what follows the last one within it */
    tg_node_id last_dot; /* the result of the dot last emitted in this region, or TG_NO_NODE */
} tg_lowerer;

/* ---- lower/base.c: the common ground ---- */

/* Zeroed memory of the plan; gives up without memory. */
void *tg_lower_take(tg_lowerer *l, size_t count, size_t size);

/* Makes room for one more entry in a growing array of the scratch arena. */
void *tg_lower_grow(tg_lowerer *l, void *list, uint32_t count, uint32_t *capacity, size_t size);

TG_PRINTF(4, 5)
_Noreturn void tg_lower_fail(tg_lowerer *l, tg_status status, const tg_op *op, const char *format,
                             ...);

tg_inst *tg_lower_emit(tg_lowerer *l, tg_inst_kind kind, tg_opcode op, uint32_t loc);
tg_slot_id tg_lower_slot(tg_lowerer *l, tg_dtype dtype, int64_t count);
tg_slot_id tg_lower_constant(tg_lowerer *l, tg_dtype dtype, int64_t count, const void *bytes);

/* One undefined element, for the backend to fill in. */
tg_slot_id tg_lower_undefined(tg_lowerer *l, tg_dtype dtype);
tg_ref_id tg_lower_ref(tg_lowerer *l, const tg_type *type, uint32_t root, const int64_t *stride);

/* The whole of a slot, row-major, in the shape of `type`. */
tg_operand tg_lower_dense(tg_slot_id slot, const tg_type *type);

/* ---- lower/control.c ---- */

void tg_lower_region(tg_lowerer *l, const tg_region *region);

/* Counts into value_uses what live ops of the region use, and notes in value_op what defines it. */
void tg_lower_count_uses(tg_lowerer *l, const tg_region *region);

/* ---- lower/lanes.c: nodes and groups ---- */

tg_node_id tg_lower_leaf(tg_lowerer *l, const tg_type *type, tg_operand at, uint32_t uses);
tg_node_id tg_lower_pending(tg_lowerer *l, const tg_node *node, const tg_node_id *in);

/* Gives the value a fresh dense slot, for the next instruction to fill. */
tg_operand tg_lower_result(tg_lowerer *l, tg_value_id v);

/* Makes nodes ready; those that share a shape share a group.  dest[i], where not NULL, is the operand that
 * a pending node i is computed into. */
void tg_lower_ready(tg_lowerer *l, const tg_node_id *nodes, uint32_t count,
                    const tg_operand *const *dest);

/* The operand of a value, made ready. */
tg_operand tg_lower_operand(tg_lowerer *l, tg_value_id v);
tg_operand tg_lower_at(tg_lowerer *l, tg_node_id node);

/* The node broadcast to `shape` (numpy's rule), itself if it has that shape already. */
tg_node_id tg_lower_as_shape(tg_lowerer *l, tg_node_id node, int rank, const int64_t *shape);

/* `node` converted to `dtype`, pending. */
tg_node_id tg_lower_convert(tg_lowerer *l, tg_node_id node, tg_dtype dtype, uint32_t loc);

/* One element, given in its carrier, shown as a block of `type`. */
tg_node_id tg_lower_splat(tg_lowerer *l, const tg_type *type, const void *carrier);

/* True if the op is element-wise and is now a node. */
bool tg_lower_lane_op(tg_lowerer *l, const tg_op *op);

/* ---- lower/index.c ---- */

/* Replaces positions by slices where all index arrays of the access count up evenly, each along a dimension of
 * its own; `positions` is the shape they broadcast to.  False, and nothing done, where they do not. */
bool tg_lower_even_positions(tg_lowerer *l, const tg_op *op, const tg_access *access,
                             tg_access_plan *a, const tg_type *positions);

/* ---- lower/memory.c ---- */

/* A ref to memory that begins here, in a slot of its own; returns the instruction's details. */
struct tg_inst_scope *tg_lower_scope(tg_lowerer *l, const tg_op *op, tg_value_id ref);

/* The memory of such refs ends here. */
void tg_lower_scope_end(tg_lowerer *l, const tg_op *op, struct tg_inst_scope *scope);

/* ---- lower/shape.c, lower/memory.c: true if the op was theirs ---- */

bool tg_lower_shape_op(tg_lowerer *l, const tg_op *op);
bool tg_lower_reduce_op(tg_lowerer *l, const tg_op *op);

/* lower/reduce.c: true if the group about to be emitted is nothing but `sum`, of a matrix and the dot right before
 * it, whose result nobody else wants: then the dot adds the matrix itself. */
bool tg_lower_dot_sum(tg_lowerer *l, const tg_node *sum, const tg_group *group);
bool tg_lower_memory_op(tg_lowerer *l, const tg_op *op);

/* ---- lower/semaphore.c: true if the op was theirs ---- */

bool tg_lower_semaphore_op(tg_lowerer *l, const tg_op *op);

/* `code`, a reduction or scan with the attributes and the shapes of `op`, of a node. */
tg_node_id tg_lower_reduction(tg_lowerer *l, const tg_op *op, tg_opcode code, tg_node_id node);

/* A guard on operand number `in` of the op. */
void tg_lower_guard(tg_lowerer *l, const tg_op *op, uint32_t in, tg_guard_kind kind, int64_t limit);

/* lower/triton.c: true if the op is lowered; false if it means what it means in the dialect `xla`, after a
 * guard where one is due. */
bool tg_lower_triton_op(tg_lowerer *l, const tg_op *op);

void tg_lower_copy(tg_lowerer *l, tg_operand to, tg_operand from, const tg_op *op);

/* An operand with the same elements whose strides are dense in `type`'s shape: a view if the layouts allow,
 * else a copy. */
tg_operand tg_lower_reshape(tg_lowerer *l, tg_operand from, const tg_type *type, const tg_op *op);

/* Whether dimensions [first, first + count) of an operand act as one, in each layout; gives its stride. */
bool tg_operand_merges(const tg_operand *o, int first, int count, int64_t stride[TG_LAYOUT_COUNT]);

#endif
